import express, { type Request, type Response } from 'express';
import { bodyNotWanted, notJson, unsupportedBody } from './errors/request-errors.ts';
import { requirePlainJson } from './plain-json.ts';
import type { Route } from './route.ts';

/**
 * Reads the JSON body of a request; undefined without one.
 * @throws ManagementError; body-parser's errors
 */
export async function readBody(route: Route, req: Request, res: Response): Promise<unknown> {
  if (req.headers['transfer-encoding'] === undefined && Number(req.headers['content-length'] ?? 0) === 0)
    return undefined;
  if (route.body === undefined) throw bodyNotWanted(req.method);
  if (req.is('application/json') !== 'application/json') throw unsupportedBody();
  // Large bodies wait for this, so that a refusal comes before the upload.
  if (req.headers.expect !== undefined) res.writeContinue();
  const parser = express.json({ limit: route.maxBodyBytes, inflate: false, strict: false });
  await new Promise<void>((resolve, reject) => {
    parser(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  // body-parser reads white space as an empty object.
  if (req.body === undefined) throw notJson();
  requirePlainJson(req.body, 'request body');
  return req.body;
}
