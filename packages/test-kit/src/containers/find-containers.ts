import { withPatience } from '@model-gateway/service-kit';
import {
  type ContainerRuntimeClient,
  GenericContainer,
  getContainerRuntimeClient,
  Wait,
} from 'testcontainers';
import { ensureImage } from './ensure-image.ts';
import { startRemover } from './start-remover.ts';

export interface ContainerDefinition {
  image: string;
  port: number;
  command: readonly string[];
  environment?: Record<string, string>;
  /** A command for the container that succeeds as soon as the server answers. */
  readyWhen: string;
}

/** The containers of one test run. */
export interface Containers {
  /**
   * @returns where this process can reach the port, `host:port`
   * @throws when the image cannot be fetched in time, or the server does not start
   */
  start(definition: ContainerDefinition): Promise<string>;
  /** Removes all of them. They are also removed when this process is killed. */
  remove(): Promise<void>;
}

/** Short, because a machine without Docker waits this long in every run. */
const ANSWER_TIMEOUT_MS = 1_000;
const RYUK_IMAGE = 'testcontainers/ryuk:0.14.0';

/**
 * Finds the Docker engine that testcontainers would use; undefined when it does not answer at once, or
 * TEST_CONTAINERS is `off`.
 */
export async function findContainers(): Promise<Containers | undefined> {
  if (process.env.TEST_CONTAINERS === 'off') return undefined;
  let engine: ContainerRuntimeClient;
  try {
    engine = await withPatience(
      getContainerRuntimeClient(),
      ANSWER_TIMEOUT_MS,
      () => new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`),
    );
  } catch {
    return undefined;
  }
  const remover = startRemover();
  const ryukChosen = chooseRyuk(engine);
  return {
    async start({ image, port, command, environment = {}, readyWhen }) {
      await Promise.all([ensureImage(engine, image), ryukChosen]);
      const container = await new GenericContainer(image)
        .withLabels(remover.labels)
        .withExposedPorts(port)
        .withCommand([...command])
        .withEnvironment(environment)
        .withWaitStrategy(Wait.forSuccessfulCommand(readyWhen))
        .start();
      return `${container.getHost()}:${container.getMappedPort(port)}`;
    },
    remove: remover.remove,
  };
}

/**
 * Uses Ryuk, which removes containers even when the remover is killed. Tests run without it when its image
 * cannot be fetched.
 */
async function chooseRyuk(engine: ContainerRuntimeClient): Promise<void> {
  if (process.env.TESTCONTAINERS_RYUK_DISABLED === 'true') return;
  process.env.RYUK_CONTAINER_IMAGE ??= RYUK_IMAGE;
  try {
    await ensureImage(engine, process.env.RYUK_CONTAINER_IMAGE);
  } catch {
    process.env.TESTCONTAINERS_RYUK_DISABLED = 'true';
  }
}
