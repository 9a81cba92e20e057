import type { ChatRequest } from '../chat/chat-request.ts';
import { ProviderError } from '../errors/provider-error.ts';
import { OPENAI } from './openai.ts';
import type { Protocol } from './protocol.ts';

/** A server of Chat Completions that refuses members which others ignore. */
export interface StrictServer {
  protocol: Protocol;
  /** Streams have usage in the last chunk even if the request does not ask for it. */
  sendsUsageUnasked: boolean;
  /** @throws ProviderError as the real server words it */
  check(request: ChatRequest): void;
}

const MISTRAL_MEMBERS: ReadonlySet<string> = new Set(
  `frequency_penalty max_tokens messages model n parallel_tool_calls presence_penalty random_seed reasoning_effort
  response_format safe_prompt stop stream temperature tool_choice tools top_p`.split(/\s+/),
);
const MISTRAL_ASSISTANT_MEMBERS: ReadonlySet<string> = new Set(['role', 'content', 'tool_calls', 'prefix']);

/**
 * Mistral forbids unknown members. Sources: responses quoted in
 * https://github.com/Gitlawb/openclaude/issues/739, https://github.com/charmbracelet/crush/issues/1590 and
 * https://github.com/dnakov/anon-kode/issues/53.
 */
const MISTRAL: StrictServer = {
  protocol: {
    ...OPENAI,
    errorBody: ({ status, message, param, code }) => ({
      object: 'error',
      message:
        status === 422
          ? { detail: [{ type: 'extra_forbidden', loc: param?.split('.'), msg: message }] }
          : message,
      type: 'invalid_request_error',
      param: null,
      code,
    }),
  },
  sendsUsageUnasked: true,
  check: (request) => {
    for (const name of Object.keys(request)) if (!MISTRAL_MEMBERS.has(name)) throw forbidden(`body.${name}`);
    for (const [index, message] of request.messages.entries()) {
      const at = `body.messages.${index}.${message.role}`;
      if (message.role === 'developer') throw forbidden(at);
      if (message.role !== 'assistant') continue;
      for (const name of Object.keys(message))
        if (!MISTRAL_ASSISTANT_MEMBERS.has(name)) throw forbidden(`${at}.${name}`);
    }
  },
};

function forbidden(param: string): ProviderError {
  return new ProviderError(422, 'Extra inputs are not permitted', { param });
}

const GROQ_REFUSED = ['reasoning_content', 'reasoning_details'];

/** Source: a response quoted in https://github.com/janhq/jan/issues/8136. */
const GROQ: StrictServer = {
  protocol: OPENAI,
  sendsUsageUnasked: false,
  check: ({ messages }) => {
    for (const [index, message] of messages.entries())
      for (const name of GROQ_REFUSED)
        if (name in message)
          throw new ProviderError(
            400,
            `'messages.${index}' : for 'role:${message.role}' the following must be satisfied` +
              `[('messages.${index}' : property '${name}' is unsupported)]`,
          );
  },
};

/** Servers by the first segment of their paths. */
export const STRICT_SERVERS: Readonly<Record<string, StrictServer>> = { mistral: MISTRAL, groq: GROQ };
