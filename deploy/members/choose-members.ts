/**
 * What a replica says of itself: `ready`; `unready`, that it cannot serve well now, but would try;
 * `draining`, that it is about to end; `silent`, nothing in time; `gone`, that nobody listens there.
 */
export type Standing = 'ready' | 'unready' | 'draining' | 'silent' | 'gone';

/** By address. */
export type Standings = ReadonlyMap<string, Standing>;

/**
 * Who gets requests. Only who is ready, as long as somebody is; and a member that is silent once may be busy,
 * and stays. Where nobody is ready, whoever is there and not about to end: an answer that says what is wrong
 * is better than none.
 * @param previous the members until now, and what they said last
 */
export function chooseMembers(previous: Standings, now: Standings): string[] {
  const among = (...wanted: Standing[]) =>
    [...now].filter(([, standing]) => wanted.includes(standing)).map(([address]) => address);
  const ready = among('ready');
  const paused = among('silent').filter((address) => previous.get(address) === 'ready');
  if (ready.length + paused.length > 0) return [...ready, ...paused].sort();
  return among('unready', 'silent').sort();
}
