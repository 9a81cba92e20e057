import { expect, it } from 'vitest';
import { kindOf } from './postgres-usage.ts';

it('the kind of a Postgres process is read from its title, and the connections of the benchmark have none', () => {
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
