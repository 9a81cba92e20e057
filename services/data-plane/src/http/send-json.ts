import type { ServerResponse } from 'node:http';

/** Sends a JSON response with status 200. @param json a value, or its bytes */
export function sendJson(res: ServerResponse, json: object, headers: Record<string, string>): void {
  const content = Buffer.isBuffer(json) ? json : JSON.stringify(json);
  res.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(content),
    ...headers,
  });
  res.end(content);
}
