"""URL patterns: every address of the contract."""

from __future__ import annotations

from django.urls import path

from webapp.models import Collection
from webapp.views.accounts import sign_in, staff
from webapp.views.archives import download, lists, owner_actions, pages, publishing, raw, review, upload, withdrawals
from webapp.views.collections import editor, page
from webapp.views.compare import arrange, honesty, picture, values
from webapp.views.compare import page as compare
from webapp.views.permalinks import citation, doi, embedding, files, freeze, history, live, verify
from webapp.views.permalinks import page as permalink
from webapp.views.raidz import page as raidz
from webapp.views.site import capture, data, found, health, home
from webapp.views.studies import pages as studies
from webapp.views.systems import configurations, curves, distributions, drawn, run_lists, runs, series, systems

urlpatterns = [
    path("", home.home, name="home"),
    path("compare", compare.compare, name="compare"),
    path("compare/arrange", arrange.arrange, name="compare-arrange"),
    path("compare/values", values.values, name="compare-values"),
    path("compare.json", compare.as_json, name="compare-json"),
    path("compare.csv", compare.as_csv, name="compare-csv"),
    path("compare.xlsx", compare.as_xlsx, name="compare-xlsx"),
    path("compare.svg", picture.as_svg, name="compare-svg"),
    path("compare.png", picture.as_png, name="compare-png"),
    path("models/raidz", raidz.raidz, name="raidz"),
    path("honesty", honesty.honesty, name="honesty"),
    path("compare/freeze", freeze.comparison, name="compare-freeze"),
    path("p/<slug:name>", permalink.permalink, name="permalink"),
    path("p/<slug:name>/live", live.live, name="permalink-live"),
    path("p/<slug:name>.json", permalink.as_json, name="permalink-json"),
    path("p/<slug:name>.csv", permalink.as_csv, name="permalink-csv"),
    path("p/<slug:name>.xlsx", permalink.as_xlsx, name="permalink-xlsx"),
    path("p/<slug:name>.bib", citation.bib, name="permalink-bib"),
    path("p/<slug:name>/embed", embedding.embed, name="permalink-embed"),
    path("oembed", embedding.oembed, name="oembed"),
    *(
        path(f"p/<slug:name>.{ending}", files.export, {"ending": ending}, name=f"permalink-{ending}")
        for ending in ("svg", "pdf", "png")
    ),
    path("p/<slug:name>.tex", files.tex, name="permalink-tex"),
    path("p/<slug:name>/figure", files.chosen, name="permalink-figure"),
    path("p/<slug:name>/figure.py", files.gone, {"file": "figure.py"}, name="permalink-script"),
    path("p/<slug:name>/figure.vl.json", files.gone, {"file": "figure.vl.json"}, name="permalink-vega"),
    path("p/<slug:name>/caption.tex", files.caption, {"ending": "tex"}, name="permalink-caption-tex"),
    path("p/<slug:name>/caption.md", files.caption, {"ending": "md"}, name="permalink-caption-md"),
    path("p/<slug:name>/caption.html", files.caption, {"ending": "html"}, name="permalink-caption-html"),
    path("p/<slug:name>.zip", citation.as_zip, name="permalink-zip"),
    path("p/<slug:name>.ris", citation.cited, {"file": "citation.ris"}, name="permalink-ris"),
    path("p/<slug:name>.csl", citation.cited, {"file": "citation.csl.json"}, name="permalink-csl"),
    path("p/<slug:name>/datacite.xml", citation.cited, {"file": "datacite.xml"}, name="permalink-datacite"),
    path("p/<slug:name>/zenodo.json", citation.cited, {"file": "zenodo.json"}, name="permalink-zenodo"),
    path("p/<slug:name>/cite/<str:file>", citation.cited, name="permalink-cite"),
    path("p/<slug:name>/doi", doi.enter, name="permalink-doi"),
    path("p/<slug:name>/files", permalink.files, name="permalink-files"),
    path("p/<slug:name>/history", history.page, name="permalink-history"),
    path("p/<slug:name>/history.json", history.as_json, name="permalink-history-json"),
    path("p/<slug:name>/again", history.again, name="permalink-again"),
    path("log", history.log, name="log"),
    path("log.json", history.log_json, name="log-json"),
    path("verify", verify.verify, name="verify"),
    path("permalinks", editor.own, name="permalinks"),
    path("collections/new", editor.new, name="collection-new"),
    path("c/<slug:name>", page.collection, name="collection"),
    path("c/<slug:name>.json", page.as_json, name="collection-json"),
    path("c/<slug:name>.zip", page.as_zip, name="collection-zip"),
    *(path(f"c/<slug:name>{ending}", page.cited, {"file": file}, name=name) for ending, file, name in page.CITED),
    path("c/<slug:name>/cite/<str:file>", page.cited, name="collection-cite"),
    path("c/<slug:name>/doi", doi.enter, {"of": Collection}, name="collection-doi"),
    path("upload", upload.upload, name="upload"),
    path("archives", lists.archives, name="archives"),
    path("archives/<int:pk>", pages.archive, name="archive"),
    path("archives/<int:pk>/readings", pages.readings, name="archive-readings"),
    path("archives/<int:pk>/notes/<slug:code>", pages.notes, name="archive-notes"),
    path("archives/<int:pk>/review", review.review, name="archive-review"),
    path("archives/<int:pk>/details", review.describe, name="archive-details"),
    path("archives/<int:pk>/review/state", review.state, name="archive-state"),
    path("archives/<int:pk>/review/hosts", review.state_hosts, name="archive-state-hosts"),
    path("archives/<int:pk>/review/numbered", review.take_offer, name="archive-numbered"),
    path("archives/<int:pk>/review/undo/<int:statement>", review.undo, name="archive-undo"),
    path("archives/<int:pk>/withdraw/file/<path:path>", withdrawals.withdraw_file, name="archive-withdraw-file"),
    path("archives/<int:pk>/withdraw/file", withdrawals.withdraw_file, name="archive-withdraw-file-named"),
    path("archives/<int:pk>/withdraw/value/<int:measurement>", withdrawals.withdraw_measurement, name="archive-withdraw-value"),
    path("archives/<int:pk>/restore/<int:withdrawal>", withdrawals.restore, name="archive-restore"),
    path("archives/<int:pk>/raw/<path:path>", raw.raw, name="archive-raw"),
    path("archives/<int:pk>/raw", raw.raw, name="archive-raw-named"),
    path("archives/<int:pk>/freeze", freeze.archive, name="archive-freeze"),
    path("archives/<int:pk>/publish", publishing.publish, name="archive-publish"),
    path("archives/<int:pk>/download", download.download, name="archive-download"),
    *(
        path(f"archives/<int:pk>/{action}", owner_actions.act, {"action": action}, name=f"archive-{action}")
        for action in owner_actions.ACTIONS
    ),
    path("systems", systems.systems, name="systems"),
    path("systems/<int:pk>", systems.system, name="system"),
    path("configurations", configurations.configurations, name="configurations"),
    path("configurations/difference", configurations.difference, name="difference"),
    path("configurations/<int:pk>", configurations.configuration, name="configuration"),
    path("runs", run_lists.runs, name="runs"),
    path("runs/<int:pk>", runs.run, name="run"),
    path("runs/<int:pk>/series.csv", series.series_csv, name="run-series-csv"),
    path("runs/<int:pk>/series.json", series.series_json, name="run-series-json"),
    path("runs/<int:pk>/series", curves.of_run, name="run-series"),
    path("archives/<int:pk>/series", curves.of_file, name="archive-series"),
    path("series", curves.page, name="series"),
    path("series.svg", curves.as_svg, name="series-svg"),
    path("series.png", curves.as_png, name="series-png"),
    path("series.pdf", curves.as_pdf, name="series-pdf"),
    path("series.tex", drawn.gone, name="series-tex"),
    path("series/distribution", distributions.page, name="distribution"),
    path("series/distribution.svg", distributions.as_svg, name="distribution-svg"),
    path("series/distribution.png", distributions.as_png, name="distribution-png"),
    path("series/distribution.pdf", distributions.as_pdf, name="distribution-pdf"),
    path("series/distribution.tex", drawn.gone, name="distribution-tex"),
    path("series/distribution.csv", distributions.as_csv, name="distribution-csv"),
    path("series/distribution.json", distributions.as_json, name="distribution-json"),
    path("series/freeze", freeze.curves, name="series-freeze"),
    path("series.csv", curves.as_csv, name="series-csv"),
    path("series.json", curves.as_json, name="series-json"),
    path("runs/<int:pk>/freeze", freeze.run, name="run-freeze"),
    path("studies", studies.studies, name="studies"),
    path("studies/<slug:name>", studies.study, name="study"),
    path("staff", staff.home, name="staff"),
    path("staff/archives", staff.archives, name="staff-archives"),
    path("staff/users", staff.users, name="staff-users"),
    path("staff/users/<int:pk>/unpublish", staff.unpublish_all, name="staff-unpublish-all"),
    path("staff/blocks", staff.blocks, name="staff-blocks"),
    path("staff/block", staff.block, name="staff-block"),
    path("staff/unblock", staff.unblock, name="staff-unblock"),
    path("staff/audit", staff.log, name="staff-audit"),
    path("sign-in", sign_in.sign_in, name="sign-in"),
    path("sign-in/<str:token>", sign_in.sign_in_link, name="sign-in-link"),
    path("sign-out", sign_in.sign_out, name="sign-out"),
    path("poolmark-capture.sh", capture.script, name="capture-kit"),
    path("poolmark-capture.sh.sha256", capture.digest, name="capture-kit-digest"),
    path("robots.txt", found.robots, name="robots"),
    path("sitemap.xml", found.sitemap_index, name="sitemap-index"),
    path("sitemap-<section>.xml", found.sitemap, name="sitemap"),
    path("data", data.page, name="data"),
    path("data/latest/<str:name>", data.latest, name="data-latest"),
    path("data/<slug:day>/<str:name>", data.file, name="data-file"),
    path("archives.atom", found.feed, name="archives-feed"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.expose_metrics, name="metrics"),
    path("status", health.status, name="status"),
]

handler400 = "webapp.views.site.errors.bad_request"
handler403 = "webapp.views.site.errors.forbidden"
handler404 = "webapp.views.site.errors.not_found"
handler500 = "webapp.views.site.errors.fault"
