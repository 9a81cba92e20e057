import { simulatedAwsMessage } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { findPlan } from './answer-plan.ts';
import { awsMessage } from './aws-message.ts';
import { fixedCompletion, timesIn } from './fixed-answer.ts';
import { requestBody } from './request-body.ts';
import { STREAMED_ANSWERS } from './streamed-answers.ts';

const { chunkAt, end } = STREAMED_ANSWERS.chat;

describe('the fixed-answer provider', () => {
  it('finds the plan in a request of any size', () => {
    const plan = { answerBytes: 20_000, chunks: 3, intervalMs: 50, stream: 'open-7-0' };
    for (const requestBytes of [1_000, 400_000]) {
      const body = Buffer.from(requestBody({ requestBytes, ...plan }));
      expect(body.length).toBe(requestBytes);
      expect(findPlan(body)).toEqual(plan);
    }
    expect(findPlan(Buffer.from('{}'))).toBeUndefined();
  });

  it('answers with exactly as many bytes as the plan says', () => {
    for (const bytes of [1_000, 20_000, 400_000]) expect(fixedCompletion(bytes).length).toBe(bytes);
  });

  it('writes events as JSON.stringify does, so that a gateway that parses them sends the same bytes', () => {
    for (const event of `${chunkAt(5)}${end}`.split('\n\n').slice(0, -2)) {
      const data = event.slice('data: '.length);
      expect(JSON.stringify(JSON.parse(data))).toBe(data);
    }
  });

  it("writes messages of Amazon's event streams as its own library does", () => {
    const [type, json] = ['contentBlockDelta', '{"delta":{"text":"@1@ words"}}'];
    expect(Buffer.from(awsMessage(type, json), 'latin1')).toEqual(simulatedAwsMessage(type, json));
  });

  it('writes into each chunk the time at which it was sent', () => {
    const received = Buffer.from(chunkAt(1_234_567) + chunkAt(1_234_999) + end);
    expect(timesIn(received)).toEqual([1_234_567, 1_234_999]);
    expect(timesIn(received.subarray(0, received.indexOf('@') + 5))).toEqual([]);
  });
});
