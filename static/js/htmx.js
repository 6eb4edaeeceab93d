// htmx without inline styles, which the content security policy forbids.
import htmx from "htmx.org/dist/htmx.esm.js";

htmx.config.includeIndicatorStyles = false;
htmx.config.allowEval = false;
// Swapped and settled in one go: an answer that came between the two would find half of what the reader had opened.
htmx.config.defaultSettleDelay = 0;
htmx.config.historyCacheSize = 0;
htmx.config.refreshOnHistoryMiss = true;
window.htmx = htmx;
