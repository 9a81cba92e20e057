/** An output item. Each can come back as input. */
export type OutputItem = ReasoningItem | SearchItem | MessageItem | FunctionCallItem | CustomCallItem;

export type ItemStatus = 'completed' | 'incomplete';

export interface ReasoningItem {
  id: string;
  type: 'reasoning';
  summary: { type: 'summary_text'; text: string }[];
  /** Only where the request asks for it. */
  encrypted_content?: string;
}

export interface SearchItem {
  id: string;
  type: 'web_search_call';
  status: 'completed';
  action: { type: 'search'; query: string; queries: string[]; sources?: { type: 'url'; url: string }[] };
}

/** A type and no interface, so that it fits where further members may be. */
export type Citation = {
  type: 'url_citation';
  start_index: number;
  end_index: number;
  url: string;
  title: string;
};

export type MessagePart =
  | { type: 'output_text'; annotations: Citation[]; logprobs: []; text: string }
  | { type: 'refusal'; refusal: string };

export interface MessageItem {
  id: string;
  type: 'message';
  status: ItemStatus;
  role: 'assistant';
  content: MessagePart[];
}

export interface FunctionCallItem {
  id: string;
  type: 'function_call';
  status: 'completed';
  /** JSON text. */
  arguments: string;
  call_id: string;
  name: string;
  namespace?: string;
}

export interface CustomCallItem {
  id: string;
  type: 'custom_tool_call';
  status: 'completed';
  call_id: string;
  input: string;
  name: string;
  namespace?: string;
}
