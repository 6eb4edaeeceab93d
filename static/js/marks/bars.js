// Over grouped bars: whiskers, every repetition as a dot, the centre's marker as second channel beside colour.
const SPREAD = 0.32;

// Dots of one group stand beside each other in a fixed pattern, so that the same data are always the same picture.
function offset(index, count, width) {
  const places = Math.min(count, 7);
  return count < 2 ? 0 : ((index % places) / (places - 1) - 0.5) * width * SPREAD * 2;
}

const SHAPES = {
  circle: (c, x, y, r) => c.arc(x, y, r, 0, 2 * Math.PI),
  rect: (c, x, y, r) => c.rect(x - r * 0.85, y - r * 0.85, r * 1.7, r * 1.7),
  triangle: (c, x, y, r) => {
    c.moveTo(x, y - r * 1.1);
    c.lineTo(x + r, y + r * 0.8);
    c.lineTo(x - r, y + r * 0.8);
    c.closePath();
  },
  rectRot: (c, x, y, r) => {
    c.moveTo(x, y - r * 1.2);
    c.lineTo(x + r * 1.2, y);
    c.lineTo(x, y + r * 1.2);
    c.lineTo(x - r * 1.2, y);
    c.closePath();
  },
  dash: (c, x, y, r) => c.rect(x - r * 1.3, y - r * 0.35, r * 2.6, r * 0.7),
  cross: (c, x, y, r) => {
    c.rect(x - r * 1.2, y - r * 0.3, r * 2.4, r * 0.6);
    c.rect(x - r * 0.3, y - r * 1.2, r * 0.6, r * 2.4);
  },
};
SHAPES.star = SHAPES.rectRot;
SHAPES.crossRot = SHAPES.cross;

function whisker(c, x, low, high, width, ink) {
  const arm = Math.min(width * 0.22, 7);
  c.strokeStyle = ink;
  c.lineWidth = 1.25;
  c.beginPath();
  c.moveTo(x, low);
  c.lineTo(x, high);
  c.moveTo(x - arm, low);
  c.lineTo(x + arm, low);
  c.moveTo(x - arm, high);
  c.lineTo(x + arm, high);
  c.stroke();
}

export function marks(token) {
  return {
    id: "poolmark-marks",
    afterDatasetsDraw(chart) {
      const c = chart.ctx;
      const y = chart.scales.y;
      const [ink, paper, accent] = [token("--ink"), token("--paper"), token("--accent")];
      const log = y.type === "logarithmic";
      c.save();
      for (const [series, dataset] of chart.data.datasets.entries()) {
        for (const [index, bar] of chart.getDatasetMeta(series).data.entries()) {
          const group = dataset.groups[index];
          if (!group) continue;
          const width = Math.max(bar.width ?? 12, 6);
          if (group === chart.$chosen) {
            c.strokeStyle = accent;
            c.lineWidth = 2;
            c.strokeRect(bar.x - width / 2 - 2, chart.chartArea.top, width + 4, chart.chartArea.bottom - chart.chartArea.top);
          }
          if (group.low !== null && (!log || group.low > 0))
            whisker(c, bar.x, y.getPixelForValue(group.low), y.getPixelForValue(group.high), width, ink);
          const radius = width < 14 ? 1.6 : 2.4;
          for (const [at, [value]] of group.points.entries()) {
            if (log && value <= 0) continue;
            c.beginPath();
            c.arc(bar.x + offset(at, group.points.length, width), y.getPixelForValue(value), radius, 0, 2 * Math.PI);
            c.fillStyle = paper;
            c.globalAlpha = 0.92;
            c.fill();
            c.globalAlpha = 1;
            c.strokeStyle = ink;
            c.lineWidth = 1;
            c.stroke();
          }
          if (log || chart.data.datasets.length > 1) {
            c.beginPath();
            (SHAPES[dataset.marker] ?? SHAPES.circle)(c, bar.x, log ? y.getPixelForValue(group.center) : chart.chartArea.bottom - 9, Math.min(4.5, width / 3));
            c.fillStyle = group.n === 1 ? paper : dataset.colour;
            c.fill();
            c.strokeStyle = log || group.n === 1 ? dataset.colour : paper;
            c.lineWidth = 1.25;
            c.stroke();
          }
        }
      }
      c.restore();
    },
  };
}
