package hansa

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

const defaultServer = "127.0.0.1:7717"

// Options say how to reach the server, and how to play. The zero value is the server on this machine, or HANSA_SERVER.
type Options struct {
	Server     string // HOST:PORT
	Token      string // HANSA_TOKEN unless set
	TokenFile  string // a file that holds the token
	Name       string // instead of the bot's own
	MaxMatches int    // instead of the bot's own; 0 leaves it
	TLS        bool   // use TLS with the certificates this machine trusts
	TLSCA      string // PEM file of the authority that signed the server's certificate; turns TLS on
	TLSCert    string // PEM file of the bot's own certificate, for mutual TLS
	TLSKey     string // PEM file of its key
	Log        *slog.Logger
}

// OptionFlags adds the options every bot has to a command line. They are filled in when it is parsed.
func OptionFlags(flags *flag.FlagSet) *Options {
	options := &Options{}
	flags.StringVar(&options.Server, "server", "", "where to play, `HOST:PORT`; HANSA_SERVER, or "+defaultServer)
	flags.StringVar(&options.TokenFile, "token-file", "", "a `FILE` that holds the bot's token; or set HANSA_TOKEN")
	flags.StringVar(&options.Name, "name", "", "play under this `NAME`")
	flags.IntVar(&options.MaxMatches, "max-matches", 0, "`N` matches at once")
	flags.BoolVar(&options.TLS, "tls", false, "encrypt, with the usual certificates")
	flags.StringVar(&options.TLSCA, "tls-ca", "", "encrypt; the server's certificate is signed by the one in this `FILE`")
	flags.StringVar(&options.TLSCert, "tls-cert", "", "`FILE` of the bot's own certificate, for mutual TLS")
	flags.StringVar(&options.TLSKey, "tls-key", "", "`FILE` of its key")
	return options
}

// filledIn is these options with the environment's and checked, and how to connect with them.
func (o Options) filledIn() (Options, credentials.TransportCredentials, error) {
	if o.Server == "" {
		o.Server = os.Getenv("HANSA_SERVER")
	}
	if o.Server == "" {
		o.Server = defaultServer
	}
	host, port, err := net.SplitHostPort(o.Server)
	if number, bad := strconv.Atoi(port); err != nil || bad != nil || host == "" || number < 0 {
		return o, nil, fmt.Errorf("%w: --server must be HOST:PORT, not %q", ErrOption, o.Server)
	}
	if o.MaxMatches < 0 {
		return o, nil, fmt.Errorf("%w: --max-matches must not be negative", ErrOption)
	}
	if o.TokenFile != "" {
		if o.Token, err = readToken(o.TokenFile); err != nil {
			return o, nil, err
		}
	} else if o.Token == "" {
		o.Token = os.Getenv("HANSA_TOKEN")
	}
	if (o.TLSCert == "") != (o.TLSKey == "") {
		return o, nil, fmt.Errorf("%w: --tls-cert and --tls-key come together", ErrOption)
	}
	o.TLS = o.TLS || o.TLSCA != "" || o.TLSCert != ""
	if o.Token != "" && !o.TLS && !isLoopback(host) {
		return o, nil, fmt.Errorf("%w: a token must not travel in the open to %s: use --tls or --tls-ca", ErrOption, host)
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	transport, err := o.transport()
	return o, transport, err
}

func (o Options) transport() (credentials.TransportCredentials, error) {
	if !o.TLS {
		return insecure.NewCredentials(), nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.TLSCA != "" {
		pem, err := os.ReadFile(o.TLSCA)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOption, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%w: there is no certificate in %s", ErrOption, o.TLSCA)
		}
	}
	if o.TLSCert != "" {
		own, err := tls.LoadX509KeyPair(o.TLSCert, o.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOption, err)
		}
		config.Certificates = []tls.Certificate{own}
	}
	return credentials.NewTLS(config), nil
}

// readToken reads a file that holds a token and nothing else.
func readToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrOption, err)
	}
	words := strings.Fields(string(text))
	if len(words) != 1 {
		return "", fmt.Errorf("%w: %s must hold a token and nothing else", ErrOption, path)
	}
	return words[0], nil
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || (err == nil && address.Unmap().IsLoopback())
}
