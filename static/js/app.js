// The one script of every page; what a page does not need is fetched only where it is needed. Every page works without.
import "./htmx.js";
import "./lines.js";
import "./upload.js";
import "./figures.js";
import "./copy.js";
import "./tables.js";
import "./compare.js";
