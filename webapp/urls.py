"""URL patterns: every address of the contract."""

from __future__ import annotations

from django.urls import path

from webapp.models import Collection
from webapp.views import collection_pages, compare_pages, raidz_page, runs, studies
from webapp.views.accounts import sign_in_pages, staff_pages
from webapp.views.archives import archive_list, archive_page, owner_actions, raw_view, review_form, upload_form, withdrawal_form
from webapp.views.curves import curve_data, curve_page, distribution_page, drawn
from webapp.views.permalinks import bundle_check, citation_files, embedding, files, freeze_form, log_pages, permalink_page
from webapp.views.site import capture, crawlers, data, health, home
from webapp.views.systems import configurations, system_pages

urlpatterns = [
    path("", home.home, name="home"),
    path("compare", compare_pages.compare, name="compare"),
    path("compare/arrange", compare_pages.arrange, name="compare-arrange"),
    path("compare/values", compare_pages.values, name="compare-values"),
    path("compare.json", compare_pages.as_json, name="compare-json"),
    path("compare.csv", compare_pages.as_csv, name="compare-csv"),
    path("compare.xlsx", compare_pages.as_xlsx, name="compare-xlsx"),
    path("compare.svg", compare_pages.as_svg, name="compare-svg"),
    path("compare.png", compare_pages.as_png, name="compare-png"),
    path("models/raidz", raidz_page.raidz, name="raidz"),
    path("honesty", compare_pages.honesty, name="honesty"),
    path("compare/freeze", freeze_form.comparison, name="compare-freeze"),
    path("p/<slug:name>", permalink_page.permalink, name="permalink"),
    path("p/<slug:name>/live", permalink_page.live, name="permalink-live"),
    path("p/<slug:name>.json", permalink_page.as_json, name="permalink-json"),
    path("p/<slug:name>.csv", permalink_page.as_csv, name="permalink-csv"),
    path("p/<slug:name>.xlsx", permalink_page.as_xlsx, name="permalink-xlsx"),
    path("p/<slug:name>.bib", citation_files.bib, name="permalink-bib"),
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
    path("p/<slug:name>.zip", citation_files.as_zip, name="permalink-zip"),
    path("p/<slug:name>.ris", citation_files.cited, {"file": "citation.ris"}, name="permalink-ris"),
    path("p/<slug:name>.csl", citation_files.cited, {"file": "citation.csl.json"}, name="permalink-csl"),
    path("p/<slug:name>/datacite.xml", citation_files.cited, {"file": "datacite.xml"}, name="permalink-datacite"),
    path("p/<slug:name>/zenodo.json", citation_files.cited, {"file": "zenodo.json"}, name="permalink-zenodo"),
    path("p/<slug:name>/cite/<str:file>", citation_files.cited, name="permalink-cite"),
    path("p/<slug:name>/doi", citation_files.enter, name="permalink-doi"),
    path("p/<slug:name>/files", permalink_page.files, name="permalink-files"),
    path("p/<slug:name>/history", log_pages.page, name="permalink-history"),
    path("p/<slug:name>/history.json", log_pages.as_json, name="permalink-history-json"),
    path("p/<slug:name>/again", log_pages.again, name="permalink-again"),
    path("log", log_pages.log, name="log"),
    path("log.json", log_pages.log_json, name="log-json"),
    path("verify", bundle_check.verify, name="verify"),
    path("permalinks", collection_pages.own, name="permalinks"),
    path("collections/new", collection_pages.new, name="collection-new"),
    path("c/<slug:name>", collection_pages.collection, name="collection"),
    path("c/<slug:name>.json", collection_pages.as_json, name="collection-json"),
    path("c/<slug:name>.zip", collection_pages.as_zip, name="collection-zip"),
    *(
        path(f"c/<slug:name>{ending}", collection_pages.cited, {"file": file}, name=name)
        for ending, file, name in collection_pages.CITED
    ),
    path("c/<slug:name>/cite/<str:file>", collection_pages.cited, name="collection-cite"),
    path("c/<slug:name>/doi", citation_files.enter, {"of": Collection}, name="collection-doi"),
    path("upload", upload_form.upload, name="upload"),
    path("archives", archive_list.archives, name="archives"),
    path("archives/<int:pk>", archive_page.archive, name="archive"),
    path("archives/<int:pk>/readings", archive_page.readings, name="archive-readings"),
    path("archives/<int:pk>/notes/<slug:code>", archive_page.notes, name="archive-notes"),
    path("archives/<int:pk>/review", review_form.review, name="archive-review"),
    path("archives/<int:pk>/details", review_form.describe, name="archive-details"),
    path("archives/<int:pk>/review/state", review_form.state, name="archive-state"),
    path("archives/<int:pk>/review/hosts", review_form.state_hosts, name="archive-state-hosts"),
    path("archives/<int:pk>/review/numbered", review_form.take_offer, name="archive-numbered"),
    path("archives/<int:pk>/review/join", review_form.join, name="archive-join"),
    path("archives/<int:pk>/review/take", review_form.take, name="archive-take"),
    path("archives/<int:pk>/review/undo/<int:statement>", review_form.undo, name="archive-undo"),
    path("archives/<int:pk>/withdraw/file/<path:path>", withdrawal_form.withdraw_file, name="archive-withdraw-file"),
    path("archives/<int:pk>/withdraw/file", withdrawal_form.withdraw_file, name="archive-withdraw-file-named"),
    path("archives/<int:pk>/withdraw/value/<int:measurement>", withdrawal_form.withdraw_measurement, name="archive-withdraw-value"),
    path("archives/<int:pk>/restore/<int:withdrawal>", withdrawal_form.restore, name="archive-restore"),
    path("archives/<int:pk>/raw/<path:path>", raw_view.raw, name="archive-raw"),
    path("archives/<int:pk>/raw", raw_view.raw, name="archive-raw-named"),
    path("archives/<int:pk>/freeze", freeze_form.archive, name="archive-freeze"),
    path("archives/<int:pk>/publish", owner_actions.publish, name="archive-publish"),
    path("archives/<int:pk>/download", archive_page.download, name="archive-download"),
    *(
        path(f"archives/<int:pk>/{action}", owner_actions.act, {"action": action}, name=f"archive-{action}")
        for action in owner_actions.ACTIONS
    ),
    path("systems", system_pages.systems, name="systems"),
    path("systems/<int:pk>", system_pages.system, name="system"),
    path("configurations", configurations.configurations, name="configurations"),
    path("configurations/difference", configurations.difference, name="difference"),
    path("configurations/<int:pk>", configurations.configuration, name="configuration"),
    path("runs", runs.runs, name="runs"),
    path("runs/<int:pk>", runs.run, name="run"),
    path("runs/<int:pk>/series.csv", curve_data.series_csv, name="run-series-csv"),
    path("runs/<int:pk>/series.json", curve_data.series_json, name="run-series-json"),
    path("runs/<int:pk>/series", curve_page.of_run, name="run-series"),
    path("archives/<int:pk>/series", curve_page.of_file, name="archive-series"),
    path("series", curve_page.page, name="series"),
    path("series.svg", curve_page.as_svg, name="series-svg"),
    path("series.png", curve_page.as_png, name="series-png"),
    path("series.pdf", curve_page.as_pdf, name="series-pdf"),
    path("series.tex", drawn.gone, name="series-tex"),
    path("series/distribution", distribution_page.page, name="distribution"),
    path("series/distribution.svg", distribution_page.as_svg, name="distribution-svg"),
    path("series/distribution.png", distribution_page.as_png, name="distribution-png"),
    path("series/distribution.pdf", distribution_page.as_pdf, name="distribution-pdf"),
    path("series/distribution.tex", drawn.gone, name="distribution-tex"),
    path("series/distribution.csv", distribution_page.as_csv, name="distribution-csv"),
    path("series/distribution.json", distribution_page.as_json, name="distribution-json"),
    path("series/freeze", freeze_form.curves, name="series-freeze"),
    path("series.csv", curve_page.as_csv, name="series-csv"),
    path("series.json", curve_page.as_json, name="series-json"),
    path("runs/<int:pk>/freeze", freeze_form.run, name="run-freeze"),
    path("studies", studies.studies, name="studies"),
    path("studies/<slug:name>", studies.study, name="study"),
    path("staff", staff_pages.home, name="staff"),
    path("staff/archives", staff_pages.archives, name="staff-archives"),
    path("staff/users", staff_pages.users, name="staff-users"),
    path("staff/users/<int:pk>/unpublish", staff_pages.unpublish_all, name="staff-unpublish-all"),
    path("staff/blocks", staff_pages.blocks, name="staff-blocks"),
    path("staff/block", staff_pages.block, name="staff-block"),
    path("staff/unblock", staff_pages.unblock, name="staff-unblock"),
    path("staff/audit", staff_pages.log, name="staff-audit"),
    path("sign-in", sign_in_pages.sign_in, name="sign-in"),
    path("sign-in/<str:token>", sign_in_pages.sign_in_link, name="sign-in-link"),
    path("sign-out", sign_in_pages.sign_out, name="sign-out"),
    path("poolmark-capture.sh", capture.script, name="capture-kit"),
    path("poolmark-capture.sh.sha256", capture.digest, name="capture-kit-digest"),
    path("robots.txt", crawlers.robots, name="robots"),
    path("sitemap.xml", crawlers.sitemap_index, name="sitemap-index"),
    path("sitemap-<section>.xml", crawlers.sitemap, name="sitemap"),
    path("data", data.page, name="data"),
    path("data/latest/<str:name>", data.latest, name="data-latest"),
    path("data/<slug:day>/<str:name>", data.file, name="data-file"),
    path("archives.atom", crawlers.feed, name="archives-feed"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.expose_metrics, name="metrics"),
    path("status", health.status, name="status"),
]

handler400 = "webapp.views.site.errors.bad_request"
handler403 = "webapp.views.site.errors.forbidden"
handler404 = "webapp.views.site.errors.not_found"
handler500 = "webapp.views.site.errors.fault"
