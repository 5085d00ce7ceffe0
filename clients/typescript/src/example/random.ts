import type { Bot } from "../index.js";

/** Plays any legal action, all alike. */
export const random: Bot = {
  name: "typescript-random",
  version: "1",
  maxMatches: 256,
  idsOnly: true,
  choose: ({ legal }) => legal[Math.floor(Math.random() * legal.length)],
};
