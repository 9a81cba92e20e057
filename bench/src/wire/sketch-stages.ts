/** The stages of the sketch of a gateway. Each one includes those before it. */
export const SKETCH_STAGES = [
  'undici instead of http.request; the body is collected, not piped',
  'parses the request, changes its model, writes it again',
  'key from the header, HMAC of a new key, cached look-up',
  'one script call to Redis',
  'parses the response, reads usage, writes it again; nine more headers',
  'access log line, histogram, record for settlement',
] as const;

/** The number of a stage. */
export const SKETCH = { body: 1, key: 2, limit: 3, response: 4, record: 5 } as const;
export const WHOLE_SKETCH = SKETCH_STAGES.length - 1;
