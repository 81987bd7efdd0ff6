#!/usr/bin/env bash
# Builds the control plane that the end-to-end tests and the demo run, and helm, from the Go module
# proxy:
#   tests/e2e/build/build.sh [NAME...]     all of them without a name
#   tests/e2e/build/build.sh node          what a real node runs beside them
#   tests/e2e/build/build.sh kube-apiserver-1.34    that of another version of Kubernetes; likewise
#                                          -1.35, -1.37, and kube-scheduler of all three
#   tests/e2e/build/build.sh frameworks    controllers of frameworks that run pods
#   tests/e2e/build/build.sh rivals        what gangs are compared with, and Kubernetes 1.34 for it
#   tests/e2e/build/build.sh node-problem-detector    the detector that runs `berth probe`
# Programs land in .cache/bin of the repository (BERTH_CACHE moves .cache). A program is built again
# only when its version, flags, dependencies or the Go toolchain changed. Prometheus is Debian's,
# but for the one that finds its targets in Kubernetes.
set -euo pipefail

readonly KUBERNETES_VERSION=1.36.3
readonly NEXT_KUBERNETES_VERSION=1.37.2
readonly EARLIER_KUBERNETES_VERSIONS=(1.34.4 1.35.4)
readonly ETCD_VERSION=3.6.8  # the one that Kubernetes itself is built with
readonly KWOK_VERSION=0.8.0
readonly HELM_VERSION=3.22.0
readonly KUBECONFORM_VERSION=0.8.0
readonly CONTAINERD_VERSION=2.4.2
readonly COREDNS_VERSION=1.13.1
readonly PROMETHEUS_VERSION=2.42  # of Debian 12
readonly DISCOVERING_VERSION=3.11.3
readonly ALERTMANAGER_VERSION=0.31.1  # modules of later ones lack the web pages, and do not build
readonly GCFLAGS=-gcflags=all=-dwarf=false  # nobody debugs them, and it is a seventh of the time
readonly ALL=(etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kwok helm kubeconform
  prometheus promtool)
readonly NODE=(kubelet kube-proxy containerd containerd-shim-runc-v2 ctr coredns
  prometheus-kubernetes alertmanager)
readonly FRAMEWORKS=(jobset mpi-operator training-operator kueue trainer kuberay lws)
readonly RIVALS=(kube-apiserver-1.34 kube-scheduler-1.34 scheduler-plugins kueue)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${BERTH_CACHE:-$(cd "$here/../../.." && pwd)/.cache}
bin=$cache/bin

# Sets module (a folder beside this file), package, version, tags and ldflags of program $1.
describe() {
  ldflags="-s -w" tags=
  case $1 in
    etcd)
      module=kubernetes package=go.etcd.io/etcd/server/v3 version=$ETCD_VERSION ;;
    kwok)
      module=kwok package=sigs.k8s.io/kwok/cmd/kwok version=$KWOK_VERSION
      ldflags+=" -X sigs.k8s.io/kwok/pkg/consts.Version=v$version" ;;
    helm)
      module=helm package=helm.sh/helm/v3/cmd/helm version=$HELM_VERSION
      ldflags+=" -X helm.sh/helm/v3/internal/version.version=v$version"
      ldflags+=" -X helm.sh/helm/v3/internal/version.metadata="
      # The version of Kubernetes that helm takes for the cluster's where there is none, and lints for.
      local kube=helm.sh/helm/v3/pkg
      ldflags+=" -X $kube/chartutil.k8sVersionMajor=1 -X $kube/chartutil.k8sVersionMinor=36"
      ldflags+=" -X $kube/lint/rules.k8sVersionMajor=1 -X $kube/lint/rules.k8sVersionMinor=36" ;;
    kubeconform)
      module=helm package=github.com/yannh/kubeconform/cmd/kubeconform version=$KUBECONFORM_VERSION
      ldflags+=" -X main.version=v$version" ;;
    containerd | containerd-shim-runc-v2 | ctr)
      module=containerd package=github.com/containerd/containerd/v2/cmd/$1 version=$CONTAINERD_VERSION
      tags=no_btrfs,no_devmapper,no_zfs
      ldflags+=" -X github.com/containerd/containerd/v2/version.Version=v$version" ;;
    coredns)
      module=coredns package=. version=$COREDNS_VERSION ;;
    prometheus-kubernetes)
      # Debian's does not discover what is in Kubernetes; this one discovers nothing else.
      module=prometheus package=github.com/prometheus/prometheus/cmd/prometheus
      version=$DISCOVERING_VERSION tags=remove_all_sd,enable_kubernetes_sd
      ldflags+=" -X github.com/prometheus/common/version.Version=$version" ;;
    alertmanager)
      module=prometheus package=github.com/prometheus/alertmanager/cmd/alertmanager
      version=$ALERTMANAGER_VERSION
      ldflags+=" -X github.com/prometheus/common/version.Version=$version" ;;
    kube-apiserver | kube-controller-manager | kube-scheduler | kubectl | kubelet | kube-proxy)
      module=kubernetes package=k8s.io/kubernetes/cmd/$1 version=$KUBERNETES_VERSION
      # Without these clients see v0.0.0, and version checks fail.
      local v=k8s.io/component-base/version
      ldflags+=" -X $v.gitVersion=v$version -X $v.gitMajor=1 -X $v.gitMinor=36"
      ldflags+=" -X $v.gitTreeState=clean" ;;
    kube-apiserver-1.3[457] | kube-scheduler-1.3[457])
      local minor=${1##*-} v=k8s.io/component-base/version
      module=kubernetes-$minor package=k8s.io/kubernetes/cmd/${1%-*}
      for version in "${EARLIER_KUBERNETES_VERSIONS[@]}" $NEXT_KUBERNETES_VERSION; do
        [[ $version != "$minor".* ]] || break
      done
      ldflags+=" -X $v.gitVersion=v$version -X $v.gitMajor=1 -X $v.gitMinor=${minor#1.}"
      ldflags+=" -X $v.gitTreeState=clean" ;;
    *)
      echo "build.sh: unknown program '$1'; known: ${ALL[*]} ${NODE[*]} ${FRAMEWORKS[*]} \
${RIVALS[*]}" >&2
      exit 2 ;;
  esac
}

# What the program in .cache/bin was built from; when this differs it is built again.
stamp() {
  echo "$version $GCFLAGS $ldflags${tags:+ $tags}"
  go env GOVERSION GOOS GOARCH
  sha256sum <"$here/$module/go.sum"
  sha256sum <"$here/$module/go.mod"
  if [[ $package == . ]]; then sha256sum <"$here/$module/main.go"; fi
}

# Turns `go build -v` (one package a line) into a line per 150 packages; other lines pass unchanged.
progress() {
  awk -v name="$1" '
    /^[A-Za-z0-9._~\/-]+$/ { if (++n % 150 == 0) { print "  " name ": " n " packages"; fflush() } next }
    { print; fflush() }'
}

# Images of Debian come without lists of packages.
download() { # PACKAGE=VERSION
  apt-get download -qq "$1" || { ((EUID == 0)) && apt-get update -qq && apt-get download -qq "$1"; }
}

# Takes a program out of Debian's package. It is not installed: that would start a server.
unpack() { # NAME PACKAGE VERSION
  local want="Debian $2 $3"
  if [[ -x $bin/$1 && -f $bin/.$1.stamp && $(<"$bin/.$1.stamp") == "$want" ]]; then
    return
  fi
  echo "unpacking $1 $3 from Debian's $2"
  local folder
  folder=$(mktemp -d)
  if ! (cd "$folder" && download "$2=$3*" && dpkg-deb -x ./*.deb .) >"$folder/log" 2>&1; then
    cat "$folder/log" >&2
    rm -r "$folder"
    echo "build.sh: Debian's $2 $3 cannot be downloaded; run apt-get update as root" >&2
    exit 1
  fi
  mv "$folder/usr/bin/$1" "$bin/$1"
  rm -r "$folder"
  echo "$want" >"$bin/.$1.stamp"
}

# Sets module, version, checksum, package and tags of a program that is built with the dependencies
# of its own release, a framework's controller for one, and manifests: the files of the module with
# what it needs of kube-apiserver, CRDs and webhooks. Fails for other programs.
describe_framework() {
  tags= manifests=
  case $1 in
    node-problem-detector)
      # Of what it can watch only custom plugins: its log monitors would need cgo.
      module=k8s.io/node-problem-detector version=1.36.0 package=./cmd/nodeproblemdetector
      sum=h1:2Dxx80GmUiEplFZbdIPKp3VIeuP7RY1hvtEzbRZVkiY=
      tags=disable_stackdriver_exporter,disable_system_log_monitor,disable_system_stats_monitor ;;
    jobset)
      module=sigs.k8s.io/jobset version=0.12.0 package=.
      sum=h1:YYPuV0px8Ongq/RXmJg6V0w2UC67aiR+rCMD06vhQQQ=
      manifests="config/components/crd/bases/*.yaml config/components/webhook/manifests.yaml" ;;
    mpi-operator)
      module=github.com/kubeflow/mpi-operator version=0.8.2 package=./cmd/mpi-operator
      sum=h1:7PVtV31iX3LSVW0BqRQ64w/NYNfAgP86Bmua2OEi5lg=
      manifests=manifests/base/kubeflow.org_mpijobs.yaml ;;
    training-operator)
      module=github.com/kubeflow/training-operator version=1.9.4 package=./cmd/training-operator.v1
      sum=h1:MjYXzeaHGBmF47BlhCo6+Mb7ypHrVfO6vsys1ZHF56A=
      manifests="manifests/base/crds/kubeflow.org_*.yaml manifests/base/webhook/manifests.yaml" ;;
    kueue)
      module=sigs.k8s.io/kueue version=0.15.0 package=./cmd/kueue
      sum=h1:9Khzc2ne6/eWuZx5o+R4KlVBzh3kZkTIMzpPC2e8Spg=
      manifests="config/components/crd/bases/*.yaml config/components/webhook/manifests.yaml" ;;
    trainer)
      module=github.com/kubeflow/trainer/v2 version=2.3.0 package=./cmd/trainer-controller-manager
      sum=h1:Je+e7zvTLzB4qW09J1fB7pZrqvPtWuGng2NqdN5p5QU=
      manifests="manifests/base/crds/trainer.kubeflow.org_*.yaml manifests/base/webhook/manifests.yaml" ;;
    kuberay)  # its CRDs alone
      module=github.com/ray-project/kuberay/ray-operator version=1.5.1 package=
      sum=h1:7FJYmB8oM+cnjv1VYCj/TfzRZG4XHvvt5Ayn5pZ5A1c=
      manifests="config/crd/bases/*.yaml" ;;
    lws)  # its CRDs alone
      module=sigs.k8s.io/lws version=0.7.0 package=
      sum=h1:qWfzX8+UBak+Hq0+m/PuE3uO0mp/3dmm5q/h/7z31A8=
      manifests="config/crd/bases/*.yaml" ;;
    scheduler-plugins)  # a kube-scheduler with plugins that schedule pods together, and their CRD
      module=sigs.k8s.io/scheduler-plugins version=0.33.5 package=./cmd/scheduler
      sum=h1:9u4QAYbuoxa59aStrJKP4Bii2EQrZmGPN2tzvfs2gL0=
      manifests=config/crd/bases/scheduling.x-k8s.io_podgroups.yaml ;;
    *) return 1 ;;
  esac
}

# Builds such a program in the folder of its own module, so with the dependencies that it is
# released with, and puts its manifests into .cache/frameworks.
build_framework() { # NAME, after describe_framework
  local want folder
  want="$module $version $sum $GCFLAGS ${tags:+$tags }$(go env GOVERSION GOOS GOARCH | tr '\n' ' ')"
  if [[ -d $cache/frameworks/$1 && -f $bin/.$1.stamp && $(<"$bin/.$1.stamp") == "$want" ]]; then
    return
  fi
  local start=$SECONDS
  local download
  download=$(GOFLAGS=-mod=mod GOWORK=off go mod download -json "$module@v$version")
  if [[ $download != *"\"Sum\": \"$sum\""* ]]; then
    echo "build.sh: $module@v$version is not what it was: its checksum is not $sum" >&2
    exit 1
  fi
  folder=$(sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$download")
  if [[ -n $package ]]; then
    echo "building $1 $version (cold: minutes)"
    (cd "$folder" && CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off \
      go build -v -trimpath -buildvcs=false $GCFLAGS -tags "$tags" -ldflags "-s -w" -o "$bin/.$1.new" \
        "$package" 2>&1) |
      progress "$1"
    mv "$bin/.$1.new" "$bin/$1"
  fi
  rm -rf "${cache:?}/frameworks/$1"
  mkdir -p "$cache/frameworks/$1"
  # shellcheck disable=SC2086  # patterns
  [[ -z $manifests ]] || (cd "$folder" && install -m 644 -t "$cache/frameworks/$1" $manifests)
  echo "$want" >"$bin/.$1.stamp"
  echo "$1 $version is there after $((SECONDS - start)) s"
}

build() {
  case $1 in prometheus | promtool) unpack "$1" prometheus $PROMETHEUS_VERSION; return ;; esac
  if describe_framework "$1"; then build_framework "$1"; return; fi
  describe "$1"
  local want
  want=$(stamp)
  if [[ -x $bin/$1 && -f $bin/.$1.stamp && $(<"$bin/.$1.stamp") == "$want" ]]; then
    return
  fi
  echo "building $1 $version (cold: minutes)"
  local start=$SECONDS
  (cd "$here/$module" && CGO_ENABLED=0 GOFLAGS=-mod=readonly GOWORK=off \
    go build -v -trimpath -buildvcs=false $GCFLAGS -tags "$tags" -ldflags "$ldflags" \
      -o "$bin/.$1.new" "$package" 2>&1) |
    progress "$1"
  mv "$bin/.$1.new" "$bin/$1"
  echo "$want" >"$bin/.$1.stamp"
  echo "built $1 $version in $((SECONDS - start)) s"
}

command -v go >/dev/null || { echo "build.sh: Go is needed: https://go.dev/dl/" >&2; exit 1; }
mkdir -p "$bin"
exec 9>"$bin/.lock"
# Two builds at once would compile everything twice.
flock -n 9 || { echo "waiting for another build in $bin"; flock 9; }
(($#)) || set -- "${ALL[@]}"
[[ $* != node ]] || set -- "${NODE[@]}"
[[ $* != frameworks ]] || set -- "${FRAMEWORKS[@]}"
[[ $* != rivals ]] || set -- "${RIVALS[@]}"
for name; do build "$name"; done
echo "control plane programs are in $bin"
