/** Base of all errors of this package. The message says what to do about it. */
export class ClientError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** What a bot chose is no legal action. */
export class ChoiceError extends ClientError {}

/** An option that cannot be, or options that do not go together. */
export class OptionError extends ClientError {}

/** The server does not let this bot in, and trying again would not help. */
export class RefusedError extends ClientError {}

/** Another process plays under the same name or token. */
export class ReplacedError extends ClientError {}
