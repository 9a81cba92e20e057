import process from 'node:process';

/**
 * Imported into services before they start (`NODE_OPTIONS`): on SIGUSR2 they collect their garbage, so that
 * what is left of their heap is what they hold.
 */
process.on('SIGUSR2', () => globalThis.gc?.());
