import { defineTool, defineToolset, ToolError, text } from 'sekisho';
import { z } from 'zod';

/** What the tools of this folder keep. A real program would hold a database or a device here. */
export type Readings = Map<string, number>;

/** Tools over something that Sekisho knows nothing of: they close over it. */
export function createReadingsToolset(readings: Readings) {
  const sensorRead = defineTool({
    name: 'sensor_read',
    category: 'sensors',
    title: text('Read a sensor', 'センサーを読む'),
    description: text('The newest reading of one sensor.', 'ひとつのセンサーの最新の値。'),
    permission: 'authenticated',
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    uses: [],
    input: z.object({ sensor: z.string().min(1).describe('Its name, e.g. "roof".') }),
    output: z.object({ celsius: z.number().describe('e.g. 21.5') }),
    ja: { sensor: '名前。例: "roof"', celsius: '例: 21.5' },
    example: { sensor: 'roof' },
    async run({ sensor }) {
      const celsius = readings.get(sensor);
      if (celsius !== undefined) return { celsius };
      throw new ToolError(
        'not_found',
        text(`There is no sensor ${sensor}.`, `センサー ${sensor} はありません。`),
        {
          suggestion: text(
            `Sensors: ${[...readings.keys()].join(', ')}.`,
            `センサー: ${[...readings.keys()].join('、')}。`,
          ),
        },
      );
    },
  });

  // `uses: ['files']` lends this tool the served folders, and nothing else.
  const sensorExport = defineTool({
    name: 'sensor_export',
    category: 'sensors',
    title: text('Export the readings', '値を書き出す'),
    description: text(
      'Writes all readings to a new CSV file.',
      'すべての値を新しい CSV ファイルに書きます。',
    ),
    permission: 'authenticated',
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    uses: ['files'],
    input: z.object({ path: z.string().min(1).describe('File to create, e.g. "readings.csv".') }),
    output: z.object({ rows: z.number().int().describe('How many were written, e.g. 2.') }),
    ja: { path: '作るファイル。例: "readings.csv"', rows: '書いた行数。例: 2' },
    example: { path: 'readings.csv' },
    // What policy looks at: rules with `path` fit this tool as they fit ours.
    risk: ({ path }, { files }) => ({ writes: [files.at(path).path] }),
    async run({ path }, { files, signal, audit }) {
      const rows = [...readings].map(([sensor, celsius]) => `${sensor},${celsius}\n`);
      const { bytes } = await files.at(path).create(['sensor,celsius\n', ...rows].join(''), { signal });
      audit({ bytes_written: bytes });
      return { rows: rows.length };
    },
  });

  return defineToolset('sensors', [sensorRead, sensorExport]);
}
