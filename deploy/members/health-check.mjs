// Exits with 0 when the DNS server answers, be it that there is no such name.
import { NOTFOUND, Resolver } from 'node:dns';
import process from 'node:process';

const resolver = new Resolver({ timeout: 1_000, tries: 2 });
resolver.setServers(['127.0.0.1:5353']);
resolver.resolve4('data-plane', (error) => {
  process.exitCode = error === null || error.code === NOTFOUND ? 0 : 1;
});
