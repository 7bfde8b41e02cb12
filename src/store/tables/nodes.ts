/** A server that uses this store. `clock_ms` is its own time, `seen_at_ms` the store's at the same moment. */
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
  /** A JSON list; null for servers of the previous version. */
  roots: string | null;
  clock_ms: number;
  seen_at_ms: number;
}
