import pathlib
import subprocess
import tempfile
import unittest

import modules  # finds the modules under test
import version
from problem import Problem
from version import Place

_REVISION = "0123456789ab"


def _is_older(one, other):
    return subprocess.run(["dpkg", "--compare-versions", version.debian(one), "lt",
                           version.debian(other)], check=False).returncode == 0


class VersionTest(unittest.TestCase):
    def test_follows_the_tags(self):
        for place, planned, want in (
            (Place("v0.1.0", 0, _REVISION, False), "0.1.0", "0.1.0"),
            (Place("v0.1.0", 5, _REVISION, False), "0.1.0", "0.1.1-dev.5.g0123456789ab"),
            (Place("v0.1.9", 5, _REVISION, False), "0.1.9", "0.1.10-dev.5.g0123456789ab"),
            (Place("v0.1.9", 5, _REVISION, False), "0.1.10", "0.1.10-dev.5.g0123456789ab"),
            (Place("v0.1.0", 5, _REVISION, False), "0.2.0", "0.2.0-dev.5.g0123456789ab"),
            (Place("v0.1.0", 0, _REVISION, True), "0.1.0", "0.1.1-dev.0.g0123456789ab.dirty"),
            (Place("", 880, _REVISION, False), "0.1.0", "0.1.0-dev.880.g0123456789ab"),
        ):
            with self.subTest(place=place, planned=planned):
                got = version.version_of(place, planned)
                self.assertEqual(got, want)
                self.assertEqual(version.checked(got), got)

    def test_a_tag_at_a_commit_that_says_otherwise_is_refused(self):
        with self.assertRaisesRegex(Problem, "v0.2.0 is at a commit .* 0.1.0; tag the commit"):
            version.version_of(Place("v0.2.0", 0, _REVISION, False), "0.1.0")

    def test_dpkg_sorts_versions_as_they_were_made(self):
        made = ["0.1.0-dev.880.gff", "0.1.0", "0.1.1-dev.5.gff", "0.1.1-dev.12.g00", "0.1.1-rc.1",
                "0.1.1", "0.1.10-dev.1.g00", "0.1.10", "0.2.0-dev.13.g11", "0.2.0"]
        for one, other in zip(made, made[1:]):
            self.assertTrue(_is_older(one, other), (one, other))

    def test_a_chosen_version_is_semantic_and_fit_for_tags_of_images(self):
        for good in ("1.2.3", "1.2.3-rc.1", "0.1.0-dev.0.gab.dirty", "1.0.0-0a"):
            self.assertEqual(version.checked(good), good)
        for bad in ("", "1.2", "v1.2.3", "1.2.3+4", "1.02.3", "1.2.3-", "1.2.3-01", "1.2.3-a..b",
                    "1.2.3-a_b", "1.2.3 "):
            with self.subTest(bad), self.assertRaisesRegex(Problem, "write it as 1.2.3 or"):
                version.checked(bad)


class RepositoryTest(unittest.TestCase):
    """With a real git."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.repository = pathlib.Path(folder.name)

    def git(self, *arguments):
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", *arguments],
            cwd=self.repository, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self):
        self.git("init", "--quiet")
        (self.repository / "file").write_text("first")
        self.git("add", "file")
        self.git("commit", "--quiet", "--message", "First")
        return self.git("rev-parse", "--short=12", "HEAD")

    def test_a_clone_without_tags_counts_from_the_beginning(self):
        revision = self.commit()
        self.assertEqual(version.place_of(self.repository), Place("", 1, revision, False))

    def test_the_latest_tag_counts(self):
        self.commit()
        self.git("tag", "v0.1.0")
        self.git("tag", "other")
        self.git("commit", "--quiet", "--allow-empty", "--message", "Second")
        revision = self.git("rev-parse", "--short=12", "HEAD")
        self.assertEqual(version.place_of(self.repository), Place("v0.1.0", 1, revision, False))
        (self.repository / "file").write_text("second")
        self.assertEqual(version.place_of(self.repository), Place("v0.1.0", 1, revision, True))

    def test_a_tag_that_names_no_version_is_refused(self):
        self.commit()
        self.git("tag", "v1")
        with self.assertRaisesRegex(Problem, "the tag v1 is no vX.Y.Z"):
            version.place_of(self.repository)

    def test_outside_of_a_repository_it_has_to_be_named(self):
        with self.assertRaisesRegex(Problem, "name it: make dist VERSION=1.2.3"):
            version.place_of(self.repository)

    def test_program_and_chart_have_one_version(self):
        (self.repository / "charts/berth").mkdir(parents=True)
        (self.repository / "CMakeLists.txt").write_text("project(berth VERSION 1.2.3 LANGUAGES CXX)")
        chart = self.repository / "charts/berth/Chart.yaml"
        chart.write_text("apiVersion: v2\nversion: 1.2.3\nappVersion: 1.2.3\n")
        self.assertEqual(version.planned_in(self.repository), "1.2.3")
        chart.write_text("apiVersion: v2\nversion: 1.2.4\nappVersion: 1.2.3\n")
        with self.assertRaisesRegex(Problem, "1.2.3, .* 1.2.4 and appVersion 1.2.3; make them equal"):
            version.planned_in(self.repository)

    def test_this_one_has_one_version(self):
        root = modules.ROOT
        self.assertRegex(version.planned_in(root), r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main()
