/** The TypeScript kit for bots of the Hansa board games. Positions, rules and results are the messages of the wire contract. */
export { type Bot, type Chosen, play, run } from "./bot.js";
export { Client, type Profile } from "./client.js";
export { ChoiceError, ClientError, OptionError, RefusedError, ReplacedError } from "./errors.js";
export type { ClockRules, ClockState } from "./gen/hansa/v1/clock_pb.js";
export { ForfeitReason, type PlayedAction, type Result, type Rules } from "./gen/hansa/v1/game_pb.js";
export type { SeatForfeited } from "./gen/hansa/v1/play_pb.js";
export { type HansaView, Shape, type TeutonicaView, type View } from "./gen/hansa/v1/view_pb.js";
export { type Action, type ActionsPlayed, type Choice, Decision, type Forfeited, Match, type MatchEvent } from "./match.js";
export type { Log, Options } from "./options.js";
