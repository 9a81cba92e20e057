import { writeHeaders } from '../answers/write-headers.ts';
import { ProviderError } from '../errors/provider-error.ts';
import { type ProviderExchange, pause } from '../http/exchange.ts';
import { breakExchange } from './break-exchange.ts';
import { dueBreak } from './due-break.ts';
import type { Fault } from './fault-schema.ts';

const HTML_PAGE = `<!DOCTYPE html>
<html><head><title>502 Bad Gateway</title></head>
<body><center><h1>502 Bad Gateway</h1></center><hr><center>simulated</center></body></html>
`;

/** Answers unrelated to the request. */
const RUBBISH: Partial<Record<NonNullable<Fault['rubbish']>, [contentType: string, body: string]>> = {
  html: ['text/html; charset=utf-8', HTML_PAGE],
  text: ['text/plain', 'upstream connect error or disconnect/reset before headers'],
  bad_json: ['application/json', '{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,'],
  wrong_shape: ['application/json', '{"status":"ok","items":[1,2,3]}'],
};

/**
 * Applies the faults that replace an answer.
 * @returns true if the exchange is over
 * @throws ProviderError for the knob `status` without `body`
 */
export async function endEarly(exchange: ProviderExchange): Promise<boolean> {
  const { fault, res, signal } = exchange;
  await pause(fault.delay_ms ?? 0, signal);
  const kind = dueBreak(fault, 'before_headers');
  if (kind !== undefined) {
    await breakExchange(exchange, kind, 'destroy');
    return true;
  }
  if (fault.status !== undefined && fault.body === undefined) throw statusError(exchange, fault.status);
  const rubbish = fault.rubbish && RUBBISH[fault.rubbish];
  const [contentType, body] = rubbish ?? ['application/json', fault.body];
  if (body === undefined) return false;
  res.statusCode = fault.status ?? res.statusCode;
  writeHeaders(exchange, { 'content-type': contentType, 'content-length': String(Buffer.byteLength(body)) });
  res.end(body);
  return true;
}

function statusError({ credential, fault, protocol }: ProviderExchange, status: number): ProviderError {
  const usual = protocol.refusal(status);
  const text = fault.message ?? usual?.message ?? `The request was answered ${status} by simulation.`;
  const message = fault.echo_credential ? `${text} You used the key ${credential ?? '(none)'}.` : text;
  const headers: Record<string, string> = {};
  if (fault.retry_after !== undefined) headers['retry-after'] = String(fault.retry_after);
  // The request log shows who follows the redirect.
  if (status < 400) headers.location = '/v1/redirected';
  return new ProviderError(status, message, { headers, code: usual?.code });
}
