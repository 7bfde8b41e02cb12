/** A file of the release and its SHA-256, in hexadecimal. */
export interface Made {
  readonly name: string;
  readonly sha256: string;
}

export interface Built {
  readonly made: readonly Made[];
  /** Address of the repository, commit, and the lock file that names every dependency. */
  readonly source: { readonly uri: string; readonly commit: string; readonly lockSha256: string };
  /** Who says this: the address of the workflow's run, or the program itself where a person ran it. */
  readonly builder: string;
  readonly startedOn: string;
  readonly finishedOn: string;
  readonly node: string;
}

/** How the files came to be: an in-toto statement with SLSA provenance 1.0. Whoever publishes it signs it. */
export function provenance({ made, source, builder, startedOn, finishedOn, node }: Built): object {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: made.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${source.uri}/blob/main/packaging/README.md#a-release`,
        externalParameters: { source: `git+${source.uri}`, command: 'npm run release' },
        internalParameters: { node },
        resolvedDependencies: [
          { uri: `git+${source.uri}`, digest: { gitCommit: source.commit } },
          { name: 'package-lock.json', digest: { sha256: source.lockSha256 } },
        ],
      },
      runDetails: { builder: { id: builder }, metadata: { startedOn, finishedOn } },
    },
  };
}
