import { run } from "../index.js";
import { random } from "./random.js";
import { sensible } from "./sensible.js";

await run(sensible, random);
