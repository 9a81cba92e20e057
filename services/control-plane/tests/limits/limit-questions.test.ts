import type { LimitQuestionMessage } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import type { Watcher } from '../../src/data-planes/key-feed.ts';
import { LimitQuestions } from '../../src/limits/limit-questions.ts';
import type { LimitedHolderKey } from '../../src/limits/limited-key-store.ts';

const dataPlane: Watcher = {
  instanceId: 'dp_1',
  sentRevision: 0n,
  pendingPing: undefined,
  isGone: () => false,
  sendWelcome: () => undefined,
  sendChange: () => undefined,
  sendHeartbeat: () => undefined,
  sendRecall: () => undefined,
  sendLimitQuestion: () => undefined,
  sendCredentialQuestion: () => undefined,
  sendResponsesUnfollowed: () => undefined,
  sendDrainOrder: () => undefined,
  end: () => undefined,
};

function keyOf(accountId: string): LimitedHolderKey {
  return {
    keyId: `key_of_${accountId}`,
    accountId,
    seatId: undefined,
    teamId: undefined,
    name: 'the only one',
    limits: {
      freePerMinute: 60,
      paidPerMinute: 100,
      readsPerMinute: 300,
      concurrentStreams: 10,
      teamPerMinute: undefined,
    },
    rules: undefined,
  };
}

// Tested here, because over gRPC each call reads the database first.
it("concurrent reads of an account's limits share one question to the data planes", async () => {
  const sent: LimitQuestionMessage[] = [];
  const questions = new LimitQuestions({
    sendLimitQuestion: (question) => {
      sent.push(question);
      return [dataPlane];
    },
  });
  const keys = [keyOf('acct_1')];
  const answers = [questions.ask(keys), questions.ask(keys), questions.ask([keyOf('acct_2')])];
  expect(sent.map(({ keys }) => keys.map(({ accountId }) => accountId))).toEqual([['acct_1'], ['acct_2']]);
  for (const [index, { questionId, keys }] of sent.entries()) {
    const [{ keyId } = { keyId: '' }] = keys;
    const policies = [{ name: 'key.free', used: 3 + index }];
    questions.answer(dataPlane, { questionId, keys: [{ keyId, policies }] });
  }
  const free = (accountId: string, used: number) =>
    new Map([[`key_of_${accountId}`, new Map([['key.free', used]])]]);
  expect(await Promise.all(answers)).toEqual([free('acct_1', 3), free('acct_1', 3), free('acct_2', 4)]);

  const later = questions.ask(keys);
  expect(sent).toHaveLength(3);
  questions.answer(dataPlane, { questionId: sent[2]?.questionId ?? '', keys: [] });
  expect(await later).toEqual(new Map());
});
