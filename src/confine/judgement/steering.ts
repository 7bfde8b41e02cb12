import type { Steering } from '../../contract/capabilities/judgement.ts';
import type { Names } from './reader/names.ts';

/** Finds the variables, set by a line or its session, that change a command's destination. */
export function steering(names: Names): readonly Steering[] {
  return names.all
    .filter((name) => (ofTools.test(name) && places.test(name)) || alone.test(name))
    .sort()
    .map((name) => ({ name, values: names.valuesOf(name) }));
}
/** Programs that send or fetch, by the prefixes of their variables. */
const ofTools =
  /^(GH|GITHUB|GLAB|GITLAB|GL|NPM|PIP|UV|YARN|BUN|POETRY|PDM|CARGO|BUNDLE|GEM|RUBYGEMS|COMPOSER|AWS|AZURE|CLOUDSDK|KUBE|DOCKER|HELM|TF|TWINE)_/i;
const places =
  /REPO|HOST|UR[LI]|INDEX|REGISTR|PROXY|CONFIG|MIRROR|LINKS|ENDPOINT|CONTEXT|PROFILE|PROJECT|SOURCE|SERVER|WORKSPACE/i;
const alone =
  /^(GIT_DIR|GIT_WORK_TREE|KUBECONFIG|GOPROXY|GOFLAGS|GOENV|GOSUMDB|GOPRIVATE|GOINSECURE|GONO\w+|(https?|all|ftp|no)_proxy)$/i;
