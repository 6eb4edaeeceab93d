"""Every address of the contract on one screen."""
from __future__ import annotations

from django.urls import path

from webapp.views import (
    archives,
    citation,
    compare,
    configurations,
    doi,
    download,
    embedding,
    exporting,
    freezing,
    health,
    home,
    honesty,
    live,
    owning,
    permalink,
    raw,
    review,
    runs,
    sign_in,
    studies,
    systems,
    upload,
    withdrawing,
)

urlpatterns = [
    path("", home.home, name="home"),
    path("compare", compare.compare, name="compare"),
    path("compare.json", compare.as_json, name="compare-json"),
    path("compare.csv", compare.as_csv, name="compare-csv"),
    path("honesty", honesty.honesty, name="honesty"),
    path("compare/freeze", freezing.comparison, name="compare-freeze"),
    path("p/<slug:name>", permalink.permalink, name="permalink"),
    path("p/<slug:name>/live", live.live, name="permalink-live"),
    path("p/<slug:name>.json", permalink.as_json, name="permalink-json"),
    path("p/<slug:name>.csv", permalink.as_csv, name="permalink-csv"),
    path("p/<slug:name>.bib", citation.bib, name="permalink-bib"),
    path("p/<slug:name>/embed", embedding.embed, name="permalink-embed"),
    path("oembed", embedding.oembed, name="oembed"),
    *(path(f"p/<slug:name>.{ending}", exporting.export, {"ending": ending}, name=f"permalink-{ending}")
      for ending in ("svg", "pdf", "png", "tex")),
    path("p/<slug:name>.zip", citation.as_zip, name="permalink-zip"),
    path("p/<slug:name>.ris", citation.cited, {"file": "citation.ris"}, name="permalink-ris"),
    path("p/<slug:name>.csl", citation.cited, {"file": "citation.csl.json"}, name="permalink-csl"),
    path("p/<slug:name>/datacite.xml", citation.cited, {"file": "datacite.xml"}, name="permalink-datacite"),
    path("p/<slug:name>/zenodo.json", citation.cited, {"file": "zenodo.json"}, name="permalink-zenodo"),
    path("p/<slug:name>/cite/<str:file>", citation.cited, name="permalink-cite"),
    path("p/<slug:name>/doi", doi.enter, name="permalink-doi"),
    path("upload", upload.upload, name="upload"),
    path("archives", archives.archives, name="archives"),
    path("archives/<int:pk>", archives.archive, name="archive"),
    path("archives/<int:pk>/notes/<slug:code>", archives.notes, name="archive-notes"),
    path("archives/<int:pk>/review", review.review, name="archive-review"),
    path("archives/<int:pk>/review/state", review.state, name="archive-state"),
    path("archives/<int:pk>/review/undo/<int:statement>", review.undo, name="archive-undo"),
    path("archives/<int:pk>/withdraw/file/<path:path>", withdrawing.withdraw_file, name="archive-withdraw-file"),
    path("archives/<int:pk>/withdraw/value/<int:measurement>", withdrawing.withdraw_measurement,
         name="archive-withdraw-value"),
    path("archives/<int:pk>/restore/<int:withdrawal>", withdrawing.restore, name="archive-restore"),
    path("archives/<int:pk>/raw/<path:path>", raw.raw, name="archive-raw"),
    path("archives/<int:pk>/freeze", freezing.archive, name="archive-freeze"),
    path("archives/<int:pk>/download", download.download, name="archive-download"),
    *(path(f"archives/<int:pk>/{action}", owning.act, {"action": action}, name=f"archive-{action}")
      for action in owning.ACTIONS),
    path("systems", systems.systems, name="systems"),
    path("systems/<int:pk>", systems.system, name="system"),
    path("configurations/difference", configurations.difference, name="difference"),
    path("configurations/<int:pk>", configurations.configuration, name="configuration"),
    path("runs/<int:pk>", runs.run, name="run"),
    path("runs/<int:pk>/freeze", freezing.run, name="run-freeze"),
    path("studies", studies.studies, name="studies"),
    path("studies/<slug:name>", studies.study, name="study"),
    path("sign-in", sign_in.sign_in, name="sign-in"),
    path("sign-in/<str:token>", sign_in.sign_in_link, name="sign-in-link"),
    path("sign-out", sign_in.sign_out, name="sign-out"),
    path("healthz", health.healthz, name="healthz"),
]

handler400 = "webapp.views.errors.bad_request"
handler403 = "webapp.views.errors.forbidden"
handler404 = "webapp.views.errors.not_found"
handler500 = "webapp.views.errors.fault"
