import { text } from '../../../../contract/text/text.ts';
import { type Dialect, row } from '../dialect.ts';

/** Repositories of Maven and Gradle, whose uploads are files of the same paths. */
export const maven: Dialect = {
  name: 'maven',
  hosts: `repo.maven.apache.org repo1.maven.org plugins.gradle.org services.gradle.org downloads.gradle.org
    central.sonatype.com oss.sonatype.org s01.oss.sonatype.org dl.google.com maven.google.com
    jitpack.io maven.pkg.github.com repo.spring.io repo.clojars.org`.split(/\s+/),
  rows: [
    row.read('GET|HEAD /{path...}/{file}', text('downloads {file}', '{file} をダウンロードします')),
    row.publish('PUT /{path...}/{file}', text('publishes {file}', '{file} を公開します'), {
      // The checksums and signatures of a version follow its files.
      covers: '/{path}',
    }),
    row.publish('POST /api/v1/publish{path...}', text('publishes a bundle', 'バンドルを公開します')),
    row.publish(
      'POST|PUT /service/local/{path...}',
      text('publishes a staged repository', 'ステージングしたリポジトリを公開します'),
    ),
  ],
};
