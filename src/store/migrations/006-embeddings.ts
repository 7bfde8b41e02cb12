import type { Migration } from './migration.ts';

/** Vectors of memories, and which memories wait for one. */
export const embeddings: Migration = {
  name: '006-embeddings',
  both: `
    alter table memory_owners add column vector_rev bigint not null default 0;
    create table memory_embedding (
      id integer primary key, model text not null, scanned_seq bigint not null);
  `,
  sqlite: `
    create table memory_vectors (
      seq integer primary key references memories (seq) on delete cascade, owner text not null,
      model text not null, dimensions integer, code blob, vector blob, rev integer not null default 0,
      attempts integer not null default 0, due_at_ms integer);
    create index memory_vectors_waiting on memory_vectors (model, due_at_ms);
    create index memory_vectors_codes on memory_vectors (owner, model, dimensions, due_at_ms, seq, code);
    create index memory_vectors_new on memory_vectors (owner, rev) where due_at_ms is null;
  `,
  postgres: `
    create table memory_vectors (
      seq bigint primary key references memories (seq) on delete cascade, owner text not null,
      model text not null, dimensions integer, code bytea, vector bytea, rev bigint not null default 0,
      attempts integer not null default 0, due_at_ms bigint);
    create index memory_vectors_waiting on memory_vectors (model, due_at_ms);
    create index memory_vectors_codes on memory_vectors (owner, model, dimensions, due_at_ms, seq, code);
    create index memory_vectors_new on memory_vectors (owner, rev) where due_at_ms is null;
  `,
};
