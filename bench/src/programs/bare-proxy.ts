// A minimal reverse proxy in Node. It checks, counts and logs nothing.
import { Agent, createServer, request } from 'node:http';
import process from 'node:process';
import { serveAndReport } from './serve-and-report.ts';

const target = new URL(process.argv[2] ?? '');
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

serveAndReport(
  createServer((req, res) => {
    const upstream = request(
      {
        agent,
        host: target.hostname,
        port: target.port,
        method: req.method,
        path: req.url,
        headers: req.headers,
      },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      },
    );
    upstream.on('error', () => {
      if (res.headersSent) res.destroy();
      else res.writeHead(502).end();
    });
    res.on('close', () => {
      if (!res.writableFinished) upstream.destroy();
    });
    req.pipe(upstream);
  }),
);
