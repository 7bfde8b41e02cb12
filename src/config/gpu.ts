import { globSync, realpathSync, statSync } from 'node:fs';
import { orElse } from '../ground/or-else.ts';

/** The files that programs need to use this machine's graphics processors. */
export interface Gpu {
  /** Device files, and folders of them. */
  readonly nodes: readonly string[];
  /** Files that drivers read: their libraries outside `/usr`, and the kernel's files about these devices and no others. */
  readonly readable: readonly string[];
  /** The groups that may use the devices. */
  readonly groups: readonly number[];
}

/** Undefined if the machine has none. A driver makes some of its device files late, so it is asked at each opening. */
export function findGpu(): Gpu | undefined {
  const nodes = globSync(['/dev/nvidia*', '/dev/dri', '/dev/kfd', '/dev/dxg']);
  if (nodes.length === 0) return undefined;
  const cards = globSync(['/sys/class/drm/*/device', '/sys/bus/pci/drivers/nvidia/*:*:*']);
  return {
    nodes,
    readable: [
      ...nodes,
      ...globSync(told),
      ...cards.flatMap((path) => orElse(() => [realpathSync(path)], [])),
    ],
    groups: [...new Set([...nodes, ...globSync('/dev/dri/render*')].map((path) => statSync(path).gid))],
  };
}

/** Links in `/sys` lead to the devices, of which only the cards are shown. */
const told = [
  ...[
    'class/drm',
    'class/kfd',
    'devices/virtual/kfd',
    'dev/char',
    'bus/pci/devices',
    'bus/pci/drivers/nvidia',
  ],
  ...[
    'devices/system/cpu',
    'devices/system/node',
    'module/nvidia*',
    'module/amdgpu',
    'module/i915',
    'module/xe',
  ],
]
  .map((path) => `/sys/${path}`)
  .concat(
    '/run/opengl-driver*',
    '/opt/rocm*',
    '/opt/amdgpu*',
    '/opt/cuda',
    '/opt/intel',
    '/etc/nvidia',
    '/etc/drirc',
  )
  .concat('/etc/libva.conf', '/proc/driver/nvidia');
