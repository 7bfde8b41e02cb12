/** A server that serves on this store. `clock_ms` is its own time, `seen_at_ms` the store's at the same moment. */
export interface NodeRow {
  id: string;
  host: string;
  address: string;
  version: string;
  pid: number;
  started_at_ms: number;
  is_draining: number;
  calls: number;
  load_percent: number;
  resident_bytes: number;
  /** A list as JSON; servers of the version before say none. */
  roots: string | null;
  clock_ms: number;
  seen_at_ms: number;
}
