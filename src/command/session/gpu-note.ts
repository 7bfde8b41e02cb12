import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import type { Child } from '../child/child.ts';
import type { Walls } from '../sandbox/walls.ts';
import type { Runner } from './session.ts';

/**
 * Tells a command in its output, once a session, that a graphics processor is out of sight, when a process of it has
 * loaded a driver's library or says that it found none: programs fall back to the processor without a word.
 */
export function tellOfGpu(child: Child, { backend }: Walls, { session, options }: Runner): void {
  const told = session.toldWalls;
  if (!options.hidesGpu || backend.name === 'none' || told.has('gpu')) return;
  const streams = [child.stdout, child.stderr];
  const tell = () => {
    end();
    if (told.has('gpu') || child.stderr.destroyed || child.stderr.readableEnded) return;
    told.add('gpu');
    child.stderr.emit('data', Buffer.from(note));
  };
  const read = (chunk: Buffer) => {
    if (missing.test(chunk.toString('latin1'))) tell();
  };
  const timer = setInterval(async () => {
    for (const pid of child.members())
      if (library.test(await readFile(`/proc/${pid}/maps`, 'latin1').catch(() => ''))) tell();
  }, everyMs);
  const end = () => {
    clearInterval(timer);
    for (const stream of streams) stream.off('data', read);
  };
  timer.unref();
  for (const stream of streams) stream.on('data', read);
  void child.exited.finally(() => clearInterval(timer));
}

const everyMs = 500;
const library = /\/lib(cuda|nvidia-ml|amdhip64|hsa-runtime64|ze_intel_gpu)\.so/;
const missing =
  /NVIDIA-SMI has failed|\b(no|any) (CUDA|ROCm|HIP|Vulkan|OpenCL)?[ -]?(capable )?(GPUs?|devices?) (is|are|was|were)? ?(detected|available|found)|no NVIDIA driver|failed to initialize (CUDA|NVML)|libcuda\.so|libnvidia-ml|cuInit|CUDA_ERROR_NO_DEVICE|\/dev\/(nvidia|dri\b|kfd\b|dxg\b)|Number of (platforms|devices) +0$|vaInitialize failed|\busing (the )?CPU\b/im;
const note =
  '[walls: this machine has a graphics processor, which commands do not see; the operator can show it by process.devices: ["gpu"]]\n';
