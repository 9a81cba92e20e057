import { expect, it } from 'vitest';
import { kindOf } from './postgres-usage.ts';

it('a process of Postgres is told by its title, and the benchmark does not count itself', () => {
  expect(kindOf('postgres: postgres gateway 127.0.0.1(45574) idle')).toBe('backends');
  expect(kindOf('postgres: postgres gateway 127.0.0.1(45574) SELECT')).toBe('backends');
  expect(kindOf('postgres: observer gateway 127.0.0.1(45575) SELECT')).toBeUndefined();
  expect(kindOf('postgres: autovacuum launcher')).toBe('autovacuum');
  expect(kindOf('postgres: autovacuum worker gateway')).toBe('autovacuum');
  expect(kindOf('postgres: walwriter')).toBe('WAL writer');
  expect(kindOf('postgres: checkpointer')).toBe('checkpointer');
  expect(kindOf('postgres: io worker 0')).toBe('others');
  expect(kindOf('/usr/lib/postgres -D /data')).toBeUndefined();
});
