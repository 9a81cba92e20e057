import type { ChatMessage, ChatRequest } from '../chat/chat-request.ts';
import type { ChatUsage } from '../chat/chat-usage.ts';
import type { UsagePlace } from '../chat/completion-answer.ts';
import { ProviderError, refuse } from '../errors/provider-error.ts';
import { OPENAI } from './openai.ts';
import type { Protocol } from './protocol.ts';

/** A server of Chat Completions that refuses members which others ignore. */
export interface StrictServer {
  protocol: Protocol;
  /** Where streams have usage even if the request does not ask for it. */
  usageUnasked?: UsagePlace;
  /** Returns usage in the form of this server. */
  usage?: (usage: ChatUsage) => object;
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
 * https://github.com/Gitlawb/openclaude/issues/739, https://github.com/charmbracelet/crush/issues/1590,
 * https://github.com/dnakov/anon-kode/issues/53 and https://github.com/NousResearch/hermes-agent/pull/18663.
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
  usageUnasked: 'last_chunk',
  check: (request) => {
    for (const name of Object.keys(request)) if (!MISTRAL_MEMBERS.has(name)) throw forbidden(`body.${name}`);
    for (const [index, message] of request.messages.entries()) {
      const at = `body.messages.${index}.${message.role}`;
      if (message.role === 'developer') throw forbidden(at);
      if (message.role !== 'assistant') continue;
      for (const name of Object.keys(message))
        if (!MISTRAL_ASSISTANT_MEMBERS.has(name)) throw forbidden(`${at}.${name}`);
      if (message.tool_calls?.some((call) => 'extra_content' in call))
        throw forbidden(`${at}.tool_calls.extra_content`);
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

const CEREBRAS_REFUSED = ['prompt_cache_key', 'reasoning', 'verbosity'];
const CEREBRAS_REFUSED_IN_MESSAGES = ['reasoning_content', 'reasoning_details'];

/**
 * Sources: a response quoted in https://github.com/anomalyco/opencode/issues/33413, the properties in
 * https://github.com/proxysoul/Empryo/pull/209 and
 * https://docs.getbifrost.ai/providers/supported-providers/cerebras.
 */
const CEREBRAS: StrictServer = {
  protocol: {
    ...OPENAI,
    errorBody: ({ message, param, code }) => ({ message, type: 'invalid_request_error', param, code }),
  },
  check: (request) => {
    const unsupported = (name: string) =>
      new ProviderError(400, `${name}: property '${name}' is unsupported`, {
        param: 'validation_error',
        code: 'wrong_api_format',
      });
    for (const name of CEREBRAS_REFUSED) if (name in request) throw unsupported(name);
    for (const [index, message] of request.messages.entries())
      for (const name of CEREBRAS_REFUSED_IN_MESSAGES)
        if (name in message) throw unsupported(`messages.${index}.${message.role}.${name}`);
  },
};

/**
 * Sources in GitHub: theopenco/llmgateway#2093 (missing and empty reasoning), MoonshotAI/kimi-code#1985,
 * BerriAI/litellm#42186 (empty texts), earendil-works/pi#2017 and aallan/vera-bench#97 (usage).
 */
const MOONSHOT: StrictServer = {
  protocol: OPENAI,
  usageUnasked: 'last_choice',
  usage: ({ prompt_tokens_details: { cached_tokens }, ...others }) => ({ ...others, cached_tokens }),
  check: ({ messages }) => {
    for (const [index, message] of messages.entries()) {
      if (partsOf(message).some(({ text, type }) => type === 'text' && text === ''))
        refuse('Invalid request: text content is empty');
      if (message.role !== 'assistant') continue;
      if (lacksReasoning(message))
        refuse(
          `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
        );
      if (!message.tool_calls?.length && !message.content?.length)
        refuse(`Invalid request: the message at position ${index} with role 'assistant' must not be empty`);
    }
  },
};

const DEEPSEEK_ROLES = ['system', 'user', 'assistant', 'tool', 'latest_reminder'];

/**
 * Sources in GitHub: NousResearch/hermes-agent#18263 (missing and empty reasoning), decolua/9router#773
 * (roles), Zoo-Code-Org/Zoo-Code#1106 (pictures), llm-exe/llm-exe#662 (schemas).
 */
const DEEPSEEK: StrictServer = {
  protocol: OPENAI,
  usage: ({ prompt_tokens_details: { cached_tokens }, ...others }) => ({
    ...others,
    prompt_cache_hit_tokens: cached_tokens,
    prompt_cache_miss_tokens: others.prompt_tokens - cached_tokens,
  }),
  check: ({ messages, response_format }) => {
    for (const [index, message] of messages.entries()) {
      const at = `Failed to deserialize the JSON body into the target type: messages[${index}]`;
      if (!DEEPSEEK_ROLES.includes(message.role))
        refuse(
          `${at}.role: unknown variant \`${message.role}\`, expected one of \`${DEEPSEEK_ROLES.join('`, `')}\``,
        );
      const other = partsOf(message).find(({ type }) => type !== 'text');
      if (other !== undefined) refuse(`${at}: unknown variant \`${other.type}\`, expected \`text\``);
      if (lacksReasoning(message))
        refuse('The `reasoning_content` in the thinking mode must be passed back to the API.');
    }
    if (response_format?.type === 'json_schema') refuse('This response_format type is unavailable now');
  },
};

/**
 * A local server with the template of Qwen 3.5. Sources in GitHub: vllm-project/vllm#41114,
 * ggml-org/llama.cpp#20733, ollama/ollama#18241 (system), ogx-ai/ogx#6069 (developer),
 * vllm-project/vllm#41121 (files).
 */
const VLLM: StrictServer = {
  protocol: {
    ...OPENAI,
    errorBody: ({ status, message, param }) => ({
      error: { message, type: 'BadRequestError', param, code: status },
    }),
  },
  check: ({ messages }) => {
    for (const [index, message] of messages.entries()) {
      if (message.role === 'developer') refuse('Unexpected message role.');
      if (message.role === 'system' && index > 0) refuse('System message must be at the beginning.');
      if (partsOf(message).some(({ type }) => type === 'file'))
        refuse("Unsupported chat content part type: 'file'.");
    }
  },
};

function partsOf({ content }: ChatMessage): Exclude<ChatMessage['content'], string | null | undefined> {
  return Array.isArray(content) ? content : [];
}

function lacksReasoning({ reasoning_content, role, tool_calls }: ChatMessage): boolean {
  return (
    role === 'assistant' && tool_calls?.length !== undefined && tool_calls.length > 0 && !reasoning_content
  );
}

/** Servers by the first segment of their paths. */
export const STRICT_SERVERS: Readonly<Record<string, StrictServer>> = {
  mistral: MISTRAL,
  groq: GROQ,
  cerebras: CEREBRAS,
  moonshot: MOONSHOT,
  deepseek: DEEPSEEK,
  vllm: VLLM,
};
