// The one script of every page; what a page does not need is fetched only where it is needed.
import "./htmx.js";
import "./theme.js";
import "./upload.js";
import "./lines.js";
import "./figures.js";
