/* Harms what globs name: PROCESSES SWAPPED OP GLOB [OP GLOB...]; see programs.ts. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char mine[64], other[80];
static glob_t found[16];

static void put(const char *path, int flags, const char *text) {
  int file = open(path, O_WRONLY | flags, 0644);
  if (file < 0) return;
  if (write(file, text, strlen(text)) < 0) perror(path);
  close(file);
}

static const char *made(void) {
  put(mine, O_CREAT | O_TRUNC, "made\n");
  return mine;
}

static int gone(const char *path, const struct stat *stat, int kind, struct FTW *at) {
  (void)stat, (void)kind, (void)at;
  return remove(path), 0;
}

static void map(const char *path) {
  struct stat stat;
  int file = open(path, O_RDWR);
  if (file < 0) return;
  if (fstat(file, &stat) == 0 && stat.st_size > 0) {
    void *memory = mmap(0, stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) memset(memory, 0, stat.st_size);
  }
  close(file);
}

static void plant(const char *path) {
  char copy[4096];
  for (const char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
    snprintf(copy, sizeof copy, "%.*s", (int)(end - path), path);
    mkdir(copy, 0755);
  }
  put(path, O_CREAT | O_TRUNC, "planted\n");
}

static void harm(const char *operation, const char *path) {
#define IS(name) (strcmp(operation, name) == 0)
  int failed = 0;
  if (IS("delete")) failed = unlink(path);
  if (IS("clear")) nftw(path, gone, 16, FTW_DEPTH | FTW_PHYS);
  if (IS("empty")) put(path, O_CREAT | O_TRUNC, "");
  if (IS("overwrite")) put(path, O_CREAT | O_TRUNC, "over\n");
  if (IS("patch")) put(path, 0, "over");
  if (IS("append")) put(path, O_APPEND, "over");
  if (IS("truncate")) failed = truncate(path, 3);
  if (IS("map")) map(path);
  if (IS("replace")) failed = rename(made(), path);
  if (IS("link")) failed = symlink("/dev/null", other) || rename(other, path);
  if (IS("hard")) failed = link(made(), other) || rename(other, path);
  if (IS("move")) failed = rename(path, mine) || nftw(mine, gone, 16, FTW_DEPTH | FTW_PHYS);
  if (IS("exchange")) failed = syscall(SYS_renameat2, AT_FDCWD, made(), AT_FDCWD, path, 2);
  if (IS("plant")) plant(path);
  (void)failed;
}

static void swap(const char *folder) {
  for (;;) {
    int failed = rename(folder, "aside") || symlink("../documents", folder);
    failed = unlink(folder) || rename("aside", folder);
    (void)failed;
  }
}

static void work(int at, int processes, char **steps) {
  snprintf(mine, sizeof mine, "made%d", getpid());
  snprintf(other, sizeof other, "%sh", mine);
  for (int step = 0; step < 16 && steps[step * 2]; step++)
    for (size_t index = at; index < found[step].gl_pathc; index += processes)
      harm(steps[step * 2], found[step].gl_pathv[index]);
}

int main(int count, char **words) {
  if (count < 3) return 2;
  int processes = atoi(words[1]);
  for (int step = 0; step < 16 && 4 + step * 2 < count; step++)
    glob(words[4 + step * 2], GLOB_PERIOD | GLOB_NOMAGIC, 0, &found[step]);
  pid_t swapper = 0;
  if (strcmp(words[2], "-") != 0 && (swapper = fork()) == 0) swap(words[2]);
  for (int at = 0; at < processes; at++)
    if (fork() == 0) return work(at, processes, words + 3), 0;
  for (int at = 0; at < processes;) {
    pid_t ended = wait(0);
    if (ended < 0) break;
    if (ended != swapper) at++;
  }
  if (swapper) kill(swapper, SIGKILL);
  return 0;
}
