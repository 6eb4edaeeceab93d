// The figures with every kind of marks: fetched in the place of figure.js where any is no bars.
import { add } from "../figure.js";
import { kind as box } from "./box.js";
import { kind as dots } from "./dots.js";
import { kind as heat } from "./heat.js";
import { kind as lines } from "./lines.js";
import { kind as ratio } from "./ratio.js";
import { kind as scatter } from "./scatter.js";

add({ box, dots, heat, lines, ratio, scatter });

export { drawAll } from "../figure.js";
