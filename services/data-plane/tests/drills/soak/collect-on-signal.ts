import process from 'node:process';

/**
 * Loaded into services by `--import`: on SIGUSR2 they collect their garbage, so that the heap has only live
 * objects.
 */
process.on('SIGUSR2', () => globalThis.gc?.());
