import { type ScriptedProvider, startScriptedProvider } from '../providers/scripted-provider.ts';
import { type RecordedAnswer, typeOf } from './recorded-answers.ts';

/** A provider that gives recorded responses, with the name of each event before its data. */
export interface ReplayingProvider extends ScriptedProvider {
  /** Sets the response to every request from now on. */
  replay(answer: RecordedAnswer): void;
}

export async function startReplayingProvider(): Promise<ReplayingProvider> {
  const provider = await startScriptedProvider();
  const replay = ({ content }: RecordedAnswer) => {
    provider.respond = (res) => {
      if ('text' in content) {
        res.writeHead(200, { 'content-type': 'application/json', 'request-id': 'req_recorded' });
        return res.end(content.text);
      }
      res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      for (const data of content.events) res.write(`event: ${typeOf(data)}\ndata: ${data}\n\n`);
      return res.end();
    };
  };
  return Object.assign(provider, { replay });
}
