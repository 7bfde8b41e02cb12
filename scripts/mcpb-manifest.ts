import { loadTools } from '../src/checkpoint/toolsets.ts';
import { loadSettings } from '../src/config/load.ts';

/** What a desktop client reads of the bundle: MCPB manifest 0.3. */
export async function mcpbManifest(
  packageJson: {
    readonly version: string;
    readonly description: string;
    readonly keywords: readonly string[];
    readonly license: string;
  },
  platform: string,
) {
  const entry = 'node_modules/sekisho/dist/sekisho.js';
  const { version, description, keywords, license } = packageJson;
  return {
    manifest_version: '0.3',
    name: 'sekisho',
    display_name: 'Sekisho',
    version,
    description,
    author: { name: 'The Sekisho maintainers' },
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: entry,
      mcp_config: {
        command: 'node',
        args: [
          ...[`\${__dirname}/${entry}`, 'serve', '--profile', 'coding'],
          ...['--root', '${user_config.folder}', '--mode', '${user_config.mode}'],
        ],
        env: {},
      },
    },
    tools: await servedTools(),
    // Proxied servers and other toolsets of the configuration come on top.
    tools_generated: true,
    // ripgrep and the bridge to the kernel are built for one platform.
    compatibility: { platforms: [platform], runtimes: { node: '>=24.0.0' } },
    user_config: {
      folder: {
        type: 'directory',
        title: 'Folder',
        description: 'The folder that tools may see and change.',
        required: true,
      },
      mode: {
        type: 'string',
        title: 'Mode',
        description: 'read-only, workspace-write (you are asked about risky calls) or full-access.',
        default: 'workspace-write',
        required: false,
      },
    },
  };
}

async function servedTools(): Promise<{ name: string; description: string }[]> {
  const settings = loadSettings(
    { profile: 'coding', locale: 'en', root: '.', state: '/nonexistent' },
    { HOME: '/nonexistent' },
  );
  const tools = (await loadTools(settings)).filter((tool) => !tool.unlisted);
  return tools.map(({ name, description }) => ({ name, description: description.en }));
}
