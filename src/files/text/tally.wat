;; tally(at, length): counts in bytes of the memory, `length` a multiple of 2048.
;; Leaves at address 0: newlines, UTF-8 continuation bytes, 1 for a NUL, 1 for a byte above 0x7f.
;; scripts/wat.ts makes tally-program.ts of it; wabt's wat2wasm makes the same bytes.
(module
  ;; A page for results and the first carry, a chunk, a page for the second carry, a chunk.
  (memory (export "memory") 34)
  (func (export "tally") (param $at i32) (param $length i32)
    (local $end i32) (local $step_end i32)
    (local $bytes v128)
    ;; In lanes of 8 bits, for one step of 2048 bytes: no lane can overflow within 64 rounds of two.
    (local $newlines v128) (local $continuations v128)
    ;; The least byte of each lane, and the union of their bits.
    (local $least v128) (local $union v128)
    ;; Sums over all steps, in lanes of 32 bits.
    (local $all_newlines v128) (local $all_continuations v128)

    local.get $at
    local.get $length
    i32.add
    local.set $end
    i32.const 255
    i8x16.splat
    local.set $least

    block $done
      loop $step
        local.get $at
        local.get $end
        i32.ge_u
        br_if $done

        local.get $at
        i32.const 2048
        i32.add
        local.set $step_end
        v128.const i32x4 0 0 0 0
        local.set $newlines
        v128.const i32x4 0 0 0 0
        local.set $continuations

        loop $round
          local.get $at
          v128.load
          local.set $bytes
          ;; What is equal is -1, and taken away it adds one.
          local.get $newlines
          local.get $bytes
          i32.const 10
          i8x16.splat
          i8x16.eq
          i8x16.sub
          local.set $newlines
          ;; Continuation bytes are 0x80 to 0xbf: with a sign, below -64.
          local.get $continuations
          local.get $bytes
          i32.const -64
          i8x16.splat
          i8x16.lt_s
          i8x16.sub
          local.set $continuations
          local.get $least
          local.get $bytes
          i8x16.min_u
          local.set $least
          local.get $union
          local.get $bytes
          v128.or
          local.set $union

          ;; The same for the next 16.
          local.get $at
          v128.load offset=16
          local.set $bytes
          local.get $newlines
          local.get $bytes
          i32.const 10
          i8x16.splat
          i8x16.eq
          i8x16.sub
          local.set $newlines
          local.get $continuations
          local.get $bytes
          i32.const -64
          i8x16.splat
          i8x16.lt_s
          i8x16.sub
          local.set $continuations
          local.get $least
          local.get $bytes
          i8x16.min_u
          local.set $least
          local.get $union
          local.get $bytes
          v128.or
          local.set $union

          local.get $at
          i32.const 32
          i32.add
          local.set $at
          local.get $at
          local.get $step_end
          i32.lt_u
          br_if $round
        end

        local.get $all_newlines
        local.get $newlines
        i16x8.extadd_pairwise_i8x16_u
        i32x4.extadd_pairwise_i16x8_u
        i32x4.add
        local.set $all_newlines
        local.get $all_continuations
        local.get $continuations
        i16x8.extadd_pairwise_i8x16_u
        i32x4.extadd_pairwise_i16x8_u
        i32x4.add
        local.set $all_continuations
        br $step
      end
    end

    i32.const 0
    local.get $all_newlines
    i32x4.extract_lane 0
    local.get $all_newlines
    i32x4.extract_lane 1
    i32.add
    local.get $all_newlines
    i32x4.extract_lane 2
    local.get $all_newlines
    i32x4.extract_lane 3
    i32.add
    i32.add
    i32.store

    i32.const 4
    local.get $all_continuations
    i32x4.extract_lane 0
    local.get $all_continuations
    i32x4.extract_lane 1
    i32.add
    local.get $all_continuations
    i32x4.extract_lane 2
    local.get $all_continuations
    i32x4.extract_lane 3
    i32.add
    i32.add
    i32.store

    ;; A NUL is where the least byte of some lane is 0.
    i32.const 8
    local.get $least
    i8x16.all_true
    i32.eqz
    i32.store

    i32.const 12
    local.get $union
    i8x16.bitmask
    i32.const 0
    i32.ne
    i32.store))
