import { describe, expect, it } from 'vitest';
import { AnswerBudget, type AnswerRoom, MAX_ANSWER_BYTES } from './answer-budget.ts';

const MIB = 1024 * 1024;
/** 84 MiB for large answers, 12 MiB kept for small ones. */
const BUDGET = 96 * MIB;

function budgetOf(maxBytes = BUDGET, maxWaitMs = 60_000) {
  const budget = new AnswerBudget(maxBytes, maxWaitMs);
  let owners = 0;
  const open = (keyId = `key_${++owners}`, accountId = `acc_${keyId}`) => budget.open({ keyId, accountId });
  return { budget, open };
}

/** What becomes of a wait. */
function outcomeOf(room: AnswerRoom, bytes: number): { said: string } {
  const outcome = { said: 'waits' };
  room.wait(bytes, (refusal) => {
    outcome.said = refusal?.code ?? 'has room';
  });
  return outcome;
}

describe('the budget of answers that are read whole', () => {
  it('is never more than it is, and small answers have a part that large ones cannot take', () => {
    const { budget, open } = budgetOf();
    const large = open();
    expect(large.take(60 * MIB)).toBe(true);
    expect(open().take(30 * MIB)).toBe(false);
    expect(open().take(24 * MIB)).toBe(true);
    expect(open().take(100 * 1024)).toBe(false);
    expect(open().take(4 * 1024)).toBe(true);
    expect(budget.usedBytes).toBe(84 * MIB + 4 * 1024);
  });

  it('has a share for each key and each account, in which the longest answer has room', () => {
    const { open } = budgetOf(512 * MIB);
    expect(open('key_1', 'acc_1').take(MAX_ANSWER_BYTES)).toBe(true);
    expect(open('key_1', 'acc_1').take(60 * MIB)).toBe(false);
    for (const key of ['key_2', 'key_3']) expect(open(key, 'acc_1').take(60 * MIB)).toBe(true);
    expect(open('key_4', 'acc_1').take(60 * MIB)).toBe(false);
    expect(open('key_4', 'acc_2').take(60 * MIB)).toBe(true);
  });

  it('goes to whoever waits as soon as there is room', () => {
    const { budget, open } = budgetOf();
    const first = open();
    first.take(60 * MIB);
    const second = outcomeOf(open(), 50 * MIB);
    expect(second.said).toBe('waits');
    first.giveBack(20 * MIB);
    expect(second.said).toBe('waits');
    first.giveBack(20 * MIB);
    expect(second.said).toBe('has room');
    first.close();
    expect(budget.usedBytes).toBe(50 * MIB);
  });

  it('is refused to the last that came where all that have some wait for more', () => {
    const { open } = budgetOf();
    const rooms = [open(), open()];
    for (const room of rooms) room.take(42 * MIB);
    const [older, younger] = rooms.map((room) => ({ room, outcome: outcomeOf(room, MIB) }));
    expect(younger?.outcome.said).toBe('overloaded');
    younger?.room.close();
    expect(older?.outcome.said).toBe('has room');
  });

  it('is refused when the wait is over', async () => {
    const { open } = budgetOf(BUDGET, 20);
    open().take(60 * MIB);
    const said = await new Promise((resolve) => open().wait(60 * MIB, (refusal) => resolve(refusal?.code)));
    expect(said).toBe('overloaded');
  });

  it('forgets whoever has left, however often that is said', () => {
    const { budget, open } = budgetOf();
    const room = open();
    room.take(10);
    room.take(60 * MIB);
    const waiting = open();
    const outcome = outcomeOf(waiting, 60 * MIB);
    for (const gone of [waiting, room, waiting, room]) gone.close();
    expect(outcome.said).toBe('waits');
    expect(budget.usedBytes).toBe(0);
    expect(budget.entries).toBe(0);
  });
});
