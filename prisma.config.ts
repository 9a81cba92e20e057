import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma/config';

// `prisma generate` looks for a schema engine binary that it would download from a host that is not npm.
// Generating needs no engine: any existing file satisfies the look-up. Never set this for `migrate diff`,
// which would then print nothing (docs/decisions/migrations-without-the-engine.md).
if (process.argv.some((argument) => ['generate', 'validate', 'format'].includes(argument))) {
  process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(import.meta.url);
}

export default defineConfig({ schema: 'prisma/schema.prisma' });
