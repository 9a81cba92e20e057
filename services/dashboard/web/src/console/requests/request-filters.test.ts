import { describe, expect, it } from 'vitest';
import { addressOf, chipsOf, FIELDS, queryOf, refusedQueryOf } from './request-filters.ts';

const NOW_MS = Date.UTC(2026, 10, 26, 12);
const query = (text: string) => queryOf(new URLSearchParams(text), NOW_MS);

describe('filters of requests', () => {
  it('are read from the address', () => {
    expect(
      query(
        'status=5xx&provider=openai&end_user=u-1&tag.project=alpha&min_cost_usd=0.5&min_duration_ms=900&last=1h',
      ),
    ).toEqual({
      ...{ status: '5xx', provider: 'openai', end_users: ['u-1'], tags: { project: ['alpha'] } },
      ...{ min_cost_usd: '0.5', min_duration_ms: 900, start_time: String(NOW_MS / 1_000 - 3_600) },
    });
    expect(query('from=2026-11-26T10:00:00Z&to=2026-11-26T11:00:00Z')).toEqual({
      start_time: String(NOW_MS / 1_000 - 7_200),
      end_time: String(NOW_MS / 1_000 - 3_600),
    });
    expect(query('capability=none&other=1&from=x')).toEqual({});
  });

  it('each reach the query', () => {
    for (const { name, options } of FIELDS) {
      const added = addressOf(name, options?.[0] ?? { tag: 'a=b', status: '404' }[name] ?? '5');
      if ('problem' in added) throw new Error(added.problem);
      expect(Object.keys(query(`${added.name}=${added.value}`)), name).toHaveLength(1);
    }
  });

  it('are chips', () => {
    const chips = chipsOf(new URLSearchParams('status=5xx&tag.project=alpha&last=1h'));
    expect(chips).toEqual([
      { name: 'status', text: 'Status: 5xx' },
      { name: 'tag.project', text: 'Tag project: alpha' },
    ]);
  });

  it.each([
    ['status', '600'],
    ['tag', 'alpha'],
    ['min_cost_usd', 'much'],
    ['model', ' '],
  ])('refuse %s "%s"', (field, value) => {
    expect(addressOf(field, value)).toHaveProperty('problem');
  });

  it('of refused requests are those that they have', () => {
    expect(refusedQueryOf(query('status=429&provider=openai&key_id=key_1'))).toEqual({
      status: '429',
      key_id: 'key_1',
    });
  });
});
