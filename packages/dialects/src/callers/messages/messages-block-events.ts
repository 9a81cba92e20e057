/** The events of the content blocks of one message: a block is closed before the next one opens. */
export class MessagesBlockEvents {
  #open: 'text' | 'thinking' | 'tool_use' | undefined;
  #count = 0;
  #text = '';
  /** The signature of the thinking that is open. */
  #signature = '';

  /** @returns the events since it was last asked for them */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  text(text: string): void {
    if (this.#open !== 'text') this.#start('text', '{"type":"text","text":""}');
    this.#delta(`{"type":"text_delta","text":${JSON.stringify(text)}}`);
  }

  /** A block of its own. */
  wholeText(text: string): void {
    this.close();
    this.text(text);
    this.close();
  }

  thinking(text: string, unsigned: string): void {
    if (this.#open !== 'thinking') this.#startThinking(unsigned);
    this.#delta(`{"type":"thinking_delta","thinking":${JSON.stringify(text)}}`);
  }

  /** Ends the block of thinking that is open, or is all of one whose text was not told. */
  signature(signature: string): void {
    if (this.#open !== 'thinking') this.#startThinking('');
    this.#signature = signature;
    this.close();
  }

  redacted(data: string): void {
    this.close();
    const block = `{"type":"redacted_thinking","data":${JSON.stringify(data)}}`;
    this.#event('content_block_start', `"index":${this.#count},"content_block":${block}`);
    this.#stop();
  }

  startCall(id: string, name: string): void {
    const members = `"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":{}`;
    this.#start('tool_use', `{"type":"tool_use",${members}}`);
  }

  /** A piece of the JSON of the call that is open. */
  args(piece: string): void {
    if (piece !== '') this.#delta(`{"type":"input_json_delta","partial_json":${JSON.stringify(piece)}}`);
  }

  close(): void {
    if (this.#open === undefined) return;
    if (this.#signature !== '')
      this.#delta(`{"type":"signature_delta","signature":${JSON.stringify(this.#signature)}}`);
    this.#signature = '';
    this.#open = undefined;
    this.#stop();
  }

  /** @param members JSON, without the braces and the type */
  #event(type: string, members: string): void {
    this.#text += `event: ${type}\ndata: {"type":"${type}",${members}}\n\n`;
  }

  #start(kind: 'text' | 'thinking' | 'tool_use', block: string): void {
    this.close();
    this.#open = kind;
    this.#event('content_block_start', `"index":${this.#count},"content_block":${block}`);
  }

  #startThinking(unsigned: string): void {
    this.#start('thinking', '{"type":"thinking","thinking":"","signature":""}');
    this.#signature = unsigned;
  }

  #delta(delta: string): void {
    this.#event('content_block_delta', `"index":${this.#count},"delta":${delta}`);
  }

  #stop(): void {
    this.#event('content_block_stop', `"index":${this.#count}`);
    this.#count += 1;
  }
}
