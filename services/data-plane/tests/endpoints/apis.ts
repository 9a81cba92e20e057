import type { TestGateway } from '@model-gateway/test-kit';
import { readMessageStream } from '../../../../packages/dialects/tests/messages-grammar.ts';
import { readResponseStream } from '../../../../packages/dialects/tests/responses-grammar.ts';
import { messagesBody, sendMessages } from './messages-requests.ts';
import { responsesBody, sendResponses } from './responses-requests.ts';

/** An API of chats other than Chat Completions. */
export interface OtherApi {
  name: string;
  path: string;
  /** Returns a request that any model serves. @param more fields that all these APIs have */
  body(more?: object): string;
  /** Returns the field that limits the length of the response. */
  length(tokens: number): object;
  send(gateway: TestGateway, rawKey: string, more?: object): ReturnType<typeof sendMessages>;
  /** Matches the event that only a complete stream has. */
  end: RegExp;
  /**
   * Reads a stream that the gateway has written itself, strictly.
   * @throws Error where it breaks the rules of the API
   */
  read(text: string): { isComplete: boolean; hasFailed: boolean };
  /** Returns the error in a stream that has failed. */
  failure(text: string): unknown;
}

export const MESSAGES_API: OtherApi = {
  name: 'Messages',
  path: '/v1/messages',
  body: messagesBody,
  length: (tokens) => ({ max_tokens: tokens }),
  send: sendMessages,
  end: /^event: message_stop$/m,
  read: readMessageStream,
  failure: (text) => {
    const [, data = 'null'] = /event: error\ndata: (.*)\n\n$/.exec(text) ?? [];
    return JSON.parse(data).error;
  },
};

export const RESPONSES_API: OtherApi = {
  name: 'Responses',
  path: '/v1/responses',
  body: responsesBody,
  length: (tokens) => ({ max_output_tokens: tokens }),
  send: sendResponses,
  end: /^event: response\.(?:completed|incomplete)$/m,
  read: readResponseStream,
  failure: (text) => {
    const [, data = 'null'] = /event: response\.failed\ndata: (.*)\n\n$/.exec(text) ?? [];
    return JSON.parse(data).response.error;
  },
};
