#!/bin/bash
# Harms what globs name: PROCESSES SWAPPED OP GLOB [OP GLOB...]; see programs.ts.
exec 2> /dev/null
shopt -s nullglob dotglob
processes=$1 swapped=$2
shift 2

harm() {
  local made="made$BASHPID" path=$2
  case $1 in
    delete) rm "$path" ;;
    clear) rm -rf "$path" ;;
    empty) : > "$path" ;;
    overwrite) echo over > "$path" ;;
    patch) printf over 1<> "$path" ;;
    append) printf over >> "$path" ;;
    truncate) truncate -s 3 "$path" ;;
    map) shred "$path" ;;
    replace) echo made > "$made" && mv -f "$made" "$path" ;;
    link) ln -sfn /dev/null "$path" ;;
    hard) echo made > "$made" && ln -f "$made" "$path" ;;
    move) mv "$path" "$made" && rm -rf "$made" ;;
    exchange) mv "$path" "$made" && echo made > "$path" && mv "$made" "$path.moved" && rm "$path.moved" ;;
    plant) mkdir -p "$(dirname "$path")" && echo planted > "$path" ;;
  esac
}

planned=() paths=()
while [ $# -gt 0 ]; do
  for path in $2; do planned+=("$1") paths+=("$path"); done
  shift 2
done

work() {
  local index
  for ((index = $1; index < ${#paths[@]}; index += processes)); do harm "${planned[index]}" "${paths[index]}"; done
}

if [ "$swapped" != - ]; then
  while :; do
    mv -T "$swapped" aside && ln -s ../documents "$swapped"
    rm "$swapped"
    mv -T aside "$swapped"
  done &
  swapper=$!
fi
workers=()
for ((at = 0; at < processes; at++)); do
  work "$at" &
  workers+=($!)
done
wait "${workers[@]}"
[ -n "$swapper" ] && kill "$swapper"
exit 0
