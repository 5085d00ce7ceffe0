// Command generate writes the Go code of the wire contract: go run ./internal/generate PROTO TARGET
//
// It reads the .proto files itself and hands them to protoc-gen-go and protoc-gen-go-grpc at the versions of go.mod, so that
// Go is the only program a build needs.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/pluginpb"
)

const (
	importPath = "hansa/pb"
	subfolder  = "hansa/v1"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: go run ./internal/generate PROTO TARGET")
	}
	if err := generate(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func generate(ctx context.Context, source, target string) error {
	paths, err := filepath.Glob(filepath.Join(source, subfolder, "*.proto"))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("there are no .proto files in %s", filepath.Join(source, subfolder))
	}
	options := []string{"paths=source_relative"}
	request := &pluginpb.CodeGeneratorRequest{}
	for _, path := range paths {
		name := subfolder + "/" + filepath.Base(path)
		request.FileToGenerate = append(request.FileToGenerate, name)
		options = append(options, "M"+name+"="+importPath)
	}
	request.Parameter = proto.String(strings.Join(options, ","))

	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{source}}),
		SourceInfoMode: protocompile.SourceInfoStandard, // comments become those of the Go code
	}
	files, err := compiler.Compile(ctx, request.FileToGenerate...)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, file := range files {
		describe(file, known, request)
	}
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	for _, plugin := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		if err := run(ctx, plugin, request, target); err != nil {
			return fmt.Errorf("%s: %w", plugin, err)
		}
	}
	return nil
}

// describe adds a file to the request, after those it imports.
func describe(file protoreflect.FileDescriptor, known map[string]bool, request *pluginpb.CodeGeneratorRequest) {
	if known[file.Path()] {
		return
	}
	known[file.Path()] = true
	for i := range file.Imports().Len() {
		describe(file.Imports().Get(i).FileDescriptor, known, request)
	}
	request.ProtoFile = append(request.ProtoFile, protodesc.ToFileDescriptorProto(file))
}

func run(ctx context.Context, plugin string, request *pluginpb.CodeGeneratorRequest, target string) error {
	input, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, "go", "tool", plugin)
	command.Stdin = bytes.NewReader(input)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return err
	}
	response := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(output, response); err != nil {
		return err
	}
	if response.Error != nil {
		return errors.New(response.GetError())
	}
	for _, file := range response.File {
		path := filepath.Join(target, filepath.Base(file.GetName()))
		if err := os.MkdirAll(filepath.Dir(path), fs.ModePerm); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(file.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
