// Builds what browsers load, into static/dist. The module "marks:all" is figure.js with every kind of figure: each file of js/marks
// that exports `kind`, under the name of the file.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";

const MARKS = resolve("static/js/marks");

const marks = {
  name: "marks",
  setup(building) {
    building.onResolve({ filter: /^marks:all$/ }, () => ({ path: "all", namespace: "marks" }));
    building.onLoad({ filter: /.*/, namespace: "marks" }, () => {
      const files = readdirSync(MARKS).filter((file) => readFileSync(join(MARKS, file), "utf8").includes("\nexport const kind = "));
      const kinds = files.map((file) => file.replace(".js", ""));
      const imports = kinds.map((kind) => `import { kind as ${kind} } from "./${kind}.js";`);
      const contents = `${imports.join("\n")}
        import { add } from "../figure.js";
        add({ ${kinds.join(", ")} });
        export { drawAll } from "../figure.js";`;
      return { contents, resolveDir: MARKS, watchDirs: [MARKS] };
    });
  },
};

await build({
  entryPoints: ["static/js/app.js", "static/js/early.js", "static/css/app.css", "static/favicon.svg"],
  outdir: "static/dist",
  outbase: "static",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  target: "es2022",
  loader: { ".woff2": "file", ".svg": "copy" },
  assetNames: "fonts/[name]-[hash]",
  chunkNames: "js/[name]-[hash]",
  logLevel: "warning",
  plugins: [marks],
});
