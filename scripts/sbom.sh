#!/bin/sh
# Writes BUILD/treebench-VERSION.spdx: which Debian packages the program and the libraries in BUILD
# are linked with, as a bill of materials (SPDX 2.3, tag-value). The same commit and packages give
# the same bytes. It lacks what is loaded only if it is there: OpenCL, and libraries to compare with.
# Usage: sbom.sh VERSION BUILD
set -eu
version=$1 build=$2
fail() {
    echo "sbom.sh: $1" >&2
    exit 4
}
command -v dpkg-query >/dev/null || fail "dpkg-query, which knows the packages, is missing: use Debian"
commit=$(git rev-parse --verify --quiet HEAD) || fail "not a git checkout: run it in a clone"

# Prints the package that a library belongs to, and its version and architecture. The linker and dpkg
# may name the same folder with and without /usr.
owner_of() {
    package=$(dpkg-query -S "${1#/usr}" "/usr${1#/usr}" 2>/dev/null | sed -n '1s/: .*//p')
    [ -n "$package" ] || fail "$1: belongs to no Debian package"
    # shellcheck disable=SC2016 # fields of dpkg-query
    dpkg-query -W -f '${Package} ${Version} ${Architecture}\n' "$package"
}

# Prints the entry of a package: name, version, who supplies it, license, and address as a purl.
entry() {
    printf '\nPackageName: %s\nSPDXID: SPDXRef-%s\nPackageVersion: %s\nPackageSupplier: %s\n' \
        "$1" "$(echo "$1" | tr + .)" "$2" "$3"
    printf 'PackageDownloadLocation: NOASSERTION\nFilesAnalyzed: false\n'
    printf 'PackageLicenseConcluded: NOASSERTION\nPackageLicenseDeclared: %s\n' "$4"
    printf 'PackageCopyrightText: NOASSERTION\nExternalRef: PACKAGE-MANAGER purl %s\n' "$5"
}

work=$(mktemp -d "$build/sbom.XXXXXX")
trap 'rm -rf "$work"' EXIT
ldd "$build/treebench" "$build"/lib*.so.* | sed -n 's|.* => \(/.*\) (.*|\1|p' | sort -u \
    >"$work/libraries"
while read -r library; do
    owner_of "$library"
done <"$work/libraries" >"$work/owners"
{
    printf 'SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\nSPDXID: SPDXRef-DOCUMENT\n'
    printf 'DocumentName: treebench-%s\nCreator: Tool: sbom.sh\n' "$version"
    printf 'DocumentNamespace: https://spdx.org/spdxdocs/treebench-%s-%s\n' "$version" \
        "$(cat "$build/treebench" "$work/owners" | sha256sum | cut -c 1-32)"
    printf 'Created: %s\n' "$(date -u -d "@$(git log -1 --format=%ct)" +%Y-%m-%dT%H:%M:%SZ)"
    entry treebench "$version" NOASSERTION MIT "pkg:generic/treebench@$version?vcs_commit=$commit"
    printf 'Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-treebench\n'
    sort -u "$work/owners" | while read -r name its_version architecture; do
        entry "$name" "$its_version" "Organization: Debian" NOASSERTION \
            "pkg:deb/debian/$name@$its_version?arch=$architecture" | sed '/purl/s/+/%2B/g'
        printf 'Relationship: SPDXRef-treebench DYNAMIC_LINK SPDXRef-%s\n' "$(echo "$name" | tr + .)"
    done
} >"$work/spdx"
mv "$work/spdx" "$build/treebench-$version.spdx"
echo "$build/treebench-$version.spdx"
