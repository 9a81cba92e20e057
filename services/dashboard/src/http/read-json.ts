import express, { type Request, type Response } from 'express';
import { noJsonBody } from '../errors/request-errors.ts';

const parsers = new Map<number, ReturnType<typeof express.json>>();

/**
 * Reads a JSON body; undefined without one. Rejects other content types: a foreign page can send those
 * without a CORS preflight.
 * @throws DashboardError unsupported_media_type; body-parser's errors
 */
export async function readJson(req: Request, res: Response, maxBytes: number): Promise<unknown> {
  if (req.headers['transfer-encoding'] === undefined && Number(req.headers['content-length'] ?? 0) === 0) {
    return undefined;
  }
  if (req.is('application/json') !== 'application/json') throw noJsonBody();
  let parse = parsers.get(maxBytes);
  if (parse === undefined) {
    parse = express.json({ limit: maxBytes, inflate: false });
    parsers.set(maxBytes, parse);
  }
  const parser = parse;
  await new Promise<void>((resolve, reject) => {
    parser(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  return req.body;
}
