/** The capability `pipelines`: runs parsed pipelines and recorded writes in the caller's session. */
export interface Pipelines {
  readonly workingFolder: string;
}
