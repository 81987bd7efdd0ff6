package box

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

const (
	volumesFolder = "volumes"
	// tokenMount is where programs look for the credentials of their pod.
	tokenMount = "/var/run/secrets/kubernetes.io/serviceaccount"
)

// volumes keeps the files that a pod mounts. Touched by the Kubelet's rounds alone, but for
// kubeconfig, which does not change.
type volumes struct {
	pod        *pod
	kubeconfig string // empty where the pod mounts no token
	tokens     string // folder of token and ca.crt
	written    map[string]fileSet
	token      string
}

// fileSet are files of a volume, by their path in it.
type fileSet map[string]volumeFile

type volumeFile struct {
	content string
	mode    os.FileMode
}

func newVolumes(p *pod, object *corev1.Pod) *volumes {
	v := &volumes{pod: p, written: map[string]fileSet{}}
	folders := foldersOf(object, v.folder)
	if v.tokens = folders[tokenMount]; v.tokens != "" {
		v.kubeconfig = filepath.Join(p.dir, volumesFolder, "kubeconfig.yaml") // no volume's name
	}
	p.translation = newTranslation(p.numbers, folders, v.kubeconfig)
	return v
}

func (v *volumes) folder(volume string) string {
	return filepath.Join(v.pod.dir, volumesFolder, volume)
}

// update writes what has changed; an error says what is missing.
func (v *volumes) update(ctx context.Context, object *corev1.Pod, seen *observed) error {
	var problems []error
	for i := range object.Spec.Volumes {
		volume := &object.Spec.Volumes[i]
		files, err := v.content(ctx, object, volume, seen)
		if err == nil && !reflect.DeepEqual(files, v.written[volume.Name]) {
			err = replaceFiles(v.folder(volume.Name), files)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("volume %s: %w", volume.Name, err))
			continue
		}
		v.written[volume.Name] = files
	}
	return errors.Join(append(problems, v.writeKubeconfig())...)
}

func (v *volumes) content(
	ctx context.Context, object *corev1.Pod, volume *corev1.Volume, seen *observed,
) (fileSet, error) {
	switch source := volume.VolumeSource; {
	case source.ConfigMap != nil:
		return v.configMap(seen, source.ConfigMap.Name, source.ConfigMap.Items,
			source.ConfigMap.Optional, *source.ConfigMap.DefaultMode)
	case source.Secret != nil:
		return v.secret(seen, source.Secret.SecretName, source.Secret.Items,
			source.Secret.Optional, *source.Secret.DefaultMode)
	case source.Projected != nil:
		return v.projected(ctx, object, source.Projected, seen)
	default:
		return fileSet{}, nil // an emptyDir
	}
}

func (v *volumes) projected(
	ctx context.Context, object *corev1.Pod, source *corev1.ProjectedVolumeSource, seen *observed,
) (fileSet, error) {
	all := fileSet{}
	for _, part := range source.Sources {
		var files fileSet
		var err error
		switch {
		case part.ConfigMap != nil:
			files, err = v.configMap(seen, part.ConfigMap.Name, part.ConfigMap.Items,
				part.ConfigMap.Optional, *source.DefaultMode)
		case part.Secret != nil:
			files, err = v.secret(seen, part.Secret.Name, part.Secret.Items, part.Secret.Optional,
				*source.DefaultMode)
		case part.ServiceAccountToken != nil:
			files, err = v.serviceAccountToken(ctx, object, part.ServiceAccountToken)
		case part.DownwardAPI != nil:
			files = downward(object, part.DownwardAPI.Items)
		default:
			err = errors.New("a projection that is not known here")
		}
		if err != nil {
			return nil, err
		}
		for path, file := range files {
			all[path] = file
		}
	}
	return all, nil
}

func (v *volumes) configMap(
	seen *observed, name string, items []corev1.KeyToPath, optional *bool, mode int32,
) (fileSet, error) {
	object := seen.configMaps[name]
	if object == nil {
		return missing("ConfigMap", name, optional)
	}
	data := map[string]string{}
	for key, content := range object.Data {
		translated, err := v.pod.translation.file(content)
		if err != nil {
			return nil, fmt.Errorf("ConfigMap %s: %s: %w", name, key, err)
		}
		data[key] = translated
	}
	return chosen(data, items, optional, mode)
}

func (v *volumes) secret(
	seen *observed, name string, items []corev1.KeyToPath, optional *bool, mode int32,
) (fileSet, error) {
	object := seen.secrets[name]
	if object == nil {
		return missing("Secret", name, optional)
	}
	data := map[string]string{}
	for key, content := range object.Data {
		data[key] = string(content)
	}
	return chosen(data, items, optional, mode)
}

func missing(kind, name string, optional *bool) (fileSet, error) {
	if optional != nil && *optional {
		return fileSet{}, nil
	}
	return nil, fmt.Errorf("there is no %s %s", kind, name)
}

// chosen are the keys that items name, or all of them.
func chosen(
	data map[string]string, items []corev1.KeyToPath, optional *bool, mode int32,
) (fileSet, error) {
	files := fileSet{}
	for key, content := range data {
		if len(items) == 0 {
			files[key] = volumeFile{content, os.FileMode(mode)}
		}
	}
	for _, item := range items {
		content, found := data[item.Key]
		if !found && optional != nil && *optional {
			continue
		}
		if !found {
			return nil, fmt.Errorf("there is no key %s", item.Key)
		}
		file := volumeFile{content, os.FileMode(mode)}
		if item.Mode != nil {
			file.mode = os.FileMode(*item.Mode)
		}
		files[item.Path] = file
	}
	return files, nil
}

func downward(object *corev1.Pod, items []corev1.DownwardAPIVolumeFile) fileSet {
	files := fileSet{}
	for _, item := range items {
		if item.FieldRef != nil {
			files[item.Path] = volumeFile{fieldOf(object, item.FieldRef.FieldPath), 0o644}
		}
	}
	return files
}

// serviceAccountToken asks for a token bound to the pod, once: none of the pods here lives as long.
func (v *volumes) serviceAccountToken(
	ctx context.Context, object *corev1.Pod, source *corev1.ServiceAccountTokenProjection,
) (fileSet, error) {
	if v.token == "" {
		request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
			ExpirationSeconds: source.ExpirationSeconds,
			BoundObjectRef: &authenticationv1.BoundObjectReference{
				Kind: "Pod", APIVersion: "v1", Name: object.Name, UID: object.UID},
		}}
		if source.Audience != "" {
			request.Spec.Audiences = []string{source.Audience}
		}
		answer, err := v.pod.kubelet.box.Client.CoreV1().ServiceAccounts(object.Namespace).
			CreateToken(ctx, object.Spec.ServiceAccountName, request, metav1.CreateOptions{})
		if err != nil {
			return nil, err
		}
		v.token = answer.Status.Token
	}
	return fileSet{source.Path: {v.token, 0o600}}, nil
}

// writeKubeconfig has the files of the token's volume tell the way to the API server.
func (v *volumes) writeKubeconfig() error {
	if v.kubeconfig == "" {
		return nil
	}
	config := api.NewConfig()
	config.Clusters["box"] = &api.Cluster{Server: "https://" + v.pod.kubelet.box.APIAddress(),
		CertificateAuthority: filepath.Join(v.tokens, "ca.crt")}
	config.AuthInfos["pod"] = &api.AuthInfo{TokenFile: filepath.Join(v.tokens, "token")}
	config.Contexts["box"] = &api.Context{Cluster: "box", AuthInfo: "pod"}
	config.CurrentContext = "box"
	return clientcmd.WriteToFile(*config, v.kubeconfig)
}
